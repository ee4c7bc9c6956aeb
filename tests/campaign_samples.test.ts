// The commands of the pages about campaigns run as they are printed, one after another.
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Account, shop } from "./support/account.ts";
import { binary } from "./support/binary.ts";
import { keyWith } from "./support/catalogue.ts";
import { Gateway } from "./support/gateway.ts";
import { scratchFolder } from "./support/scratch.ts";

const run = promisify(execFile);
const scratch = scratchFolder("campaign samples");

let gateway: Gateway;
let account: Account;
let device: string;

beforeAll(async () => {
  gateway = await Gateway.create();
});
beforeEach(async () => {
  ({ account, device } = await shop(gateway)); // A page begins without contacts and suppressions.
});
afterAll(() => gateway.close());

function pageText(page: string): string {
  return readFileSync(resolve(import.meta.dirname, "..", page), "utf8");
}

/** What the commands print, run against the test's gateway instead of the demo. */
async function printed(commands: string, folder: string, key = ""): Promise<string> {
  const program = "build/run/merpati --config .merpati/merpati.toml";
  const pasted = commands
    .replaceAll(program, `${binary} --config ${gateway.config}`)
    .replaceAll("127.0.0.1:8080", `127.0.0.1:${gateway.port}`)
    .replaceAll("6281100000001", device)
    .replaceAll("acc_1", account.id);
  const cwd = join(scratch, folder);
  mkdirSync(cwd, { recursive: true });
  const env = { PATH: process.env["PATH"], KEY: key };
  const { stdout } = await run("bash", ["-c", `set -o pipefail\n${pasted}`], { cwd, env });
  return stdout;
}

test.each(["README.md", "README.id.md"])("the campaign of %s reaches its list", async (page) => {
  const [block] = /(?<=```sh\n)[^`]*v1\/campaigns[^`]*(?=```)/.exec(pageText(page)) ?? ["exit 1"];
  const key = await keyWith(account, ["send", "campaigns:read", "campaigns:manage"]);
  const answers = await printed(block, page, key);
  expect(answers).toContain('"added":2');
  expect(answers).toContain('"state":"running"');
  expect(answers).toMatch(/\n1,6281234567890,[^\n]*,Ani,/);
});

describe.each(["docs/campaigns.md", "docs/kampanye.md"])("%s", (page) => {
  const text = pageText(page);

  test("leads from the first upload to the report", { timeout: 120_000 }, async () => {
    const every = [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = ""]) => block);
    // The commands have examples of their own; this walk goes by the API.
    const blocks = every.filter((block) => !block.startsWith("merpati "));
    expect(blocks).toHaveLength(11);
    const answers = await printed(blocks.join("\n"), page.replace("/", " "));
    const shown = [...text.matchAll(/```json\n([\s\S]*?)\n```/g)].map(([, answer]) => answer);
    expect(shown).toHaveLength(2);
    for (const answer of shown) expect(answers).toContain(answer);
    expect(answers).not.toMatch(/"(title|code)":"(not_|invalid|forb|unauth)/);
    expect(answers).toMatch(/\n3,6281234991001,[^\n]*failed/);
    expect(answers).toContain('"reason":"opt_out"');
    expect(answers).toMatch(/"added":2,"invalid":0,"duplicate":0,"suppressed":1/);
    expect(answers).toMatch(/"number":"6281234567890","removed":true/);
  });
});
