// The programs of docs/sending.md send, and repeat an unanswered request with the same key.
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { shop, type Account } from "./support/account.ts";
import { Gateway } from "./support/gateway.ts";
import { scratchFolder } from "./support/scratch.ts";

const page = readFileSync(resolve(import.meta.dirname, "../docs/sending.md"), "utf8");
const folder = scratchFolder("samples");
const run = promisify(execFile);

let gateway: Gateway;
let account: Account;
let device: string;

beforeAll(async () => {
  gateway = await Gateway.create();
  ({ account, device } = await shop(gateway));
});
afterAll(() => gateway.close());

const languages: [heading: string, fence: string, program: string, file: string][] = [
  ["curl", "sh", "bash", "send.sh"],
  ["PHP", "php", "php", "send.php"],
  ["JavaScript", "js", process.execPath, "send.mjs"],
  ["Python", "python", "python3", "send.py"],
];

/** The program under that heading, with its own order number. */
function sample(heading: string, fence: string, order: string): string {
  const [, section] = page.split(`\n## ${heading}\n`);
  const found = new RegExp(`\`\`\`${fence}\n([\\s\\S]*?)\`\`\``).exec(section ?? "");
  if (!found) throw new Error(`docs/sending.md has no program in ${heading}`);
  return found[1]!.replaceAll("order-1042", order);
}

async function send(program: string, file: string, text: string, url: string): Promise<string> {
  const path = join(folder, file);
  writeFileSync(path, text);
  const { stdout } = await run(program, [path], {
    env: {
      PATH: process.env.PATH,
      MERPATI_URL: url,
      MERPATI_KEY: account.key,
      MERPATI_FROM: device,
    },
  });
  return stdout;
}

test.each(languages)("the %s program sends a message", async (heading, fence, program, file) => {
  const text = sample(heading, fence, `order-${heading}`);
  const printed = await send(program, file, text, gateway.url);
  const [id] = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(printed) ?? [];
  const message = await gateway.json("message", "show", id ?? "none printed");
  expect(message).toMatchObject({ id, from: device });
});

test("the program for many messages sends each line once, and says how each ended", async () => {
  const path = join(folder, "send_all.py");
  writeFileSync(path, sample("Many messages at once", "python", "order-1042"));
  const lines = ["many-1;6281234567890;Satu; dua", "many-2;6281234567891;", "many-3;62812;Tiga"];
  const sent = async (): Promise<string[]> => {
    const env = { MERPATI_URL: gateway.url, MERPATI_KEY: account.key, MERPATI_FROM: device };
    const running = run("python3", [path], { env: { PATH: process.env.PATH, ...env } });
    running.child.stdin!.end(`${lines.join("\n")}\n`);
    return (await running).stdout.trim().split("\n");
  };
  const first = await sent();
  expect(first[0]).toMatch(/^many-1 [0-9a-f-]{36}$/);
  expect(first[1]).toBe("many-2 Pesan tidak boleh kosong");
  expect(first[2]).toMatch(/^many-3 [0-9a-f-]{36}$/);
  expect(await sent()).toEqual(first);
  const id = first[0]!.split(" ")[1]!;
  expect(await gateway.json("message", "show", id)).toMatchObject({ from: device });
});

test("the programs run one after another, as they are printed", async () => {
  const sent = new Set<string>();
  for (const [heading, fence, program, file] of languages) {
    const printed = await send(program, file, sample(heading, fence, "order-1042"), gateway.url);
    const [id] = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(printed) ?? [];
    expect(id, `${heading} printed ${printed}`).toBeDefined();
    sent.add(id!);
  }
  expect(sent.size).toBe(languages.length);
});

test.each(languages)(
  "the %s program repeats what got no answer, under the same key",
  async (heading, fence, program, file) => {
    const door = await openDoor();
    const text = sample(heading, fence, `again-${heading}`);
    await send(program, file, text, `http://127.0.0.1:${door.port}`);
    expect(door.keys).toHaveLength(2);
    expect(door.keys[0]).toContain(`again-${heading}`);
    expect(door.keys[1]).toBe(door.keys[0]);
    door.close();
  },
);

test.each(["README.md", "README.id.md", "docs/mulai.md"])(
  "the first request of %s is accepted, with the key that it reads from the demo",
  async (file) => {
    const text = readFileSync(resolve(import.meta.dirname, "..", file), "utf8");
    const [block] = text.match(/(?<=```sh\n)[^`]*demo\.json[^`]*(?=```)/) ?? ["exit 1"];
    mkdirSync(join(folder, ".merpati"), { recursive: true });
    const demo = { account: account.id, webhook_secret: "whsec_x", key: account.key, device };
    writeFileSync(join(folder, ".merpati", "demo.json"), `${JSON.stringify(demo)}\n`);
    const pasted = block
      .replaceAll("127.0.0.1:8080", `127.0.0.1:${gateway.port}`)
      .replaceAll("6281100000001", device);
    const { stdout } = await run("bash", ["-c", pasted], { cwd: folder });
    expect(JSON.parse(stdout)).toMatchObject({ success: true });
  },
);

/** A server that closes the connection at the first request and answers the second. */
async function openDoor() {
  const keys: string[] = [];
  const answer = JSON.stringify({ success: true, data: { code: 200, requestId: "r-1" } });
  const server = createServer((socket: Socket) => {
    let read = "";
    socket.on("error", () => {});
    socket.setEncoding("utf8").on("data", (piece) => {
      read += piece;
      if (!read.includes("Pesanan 1042 dikirim.")) return;
      keys.push(/^idempotency-key: (.*)\r$/im.exec(read)![1]!);
      if (keys.length === 1) return void socket.destroy();
      socket.end(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n" +
          `Content-Length: ${answer.length}\r\n\r\n${answer}`,
      );
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return { keys, port: (server.address() as AddressInfo).port, close: () => server.close() };
}
