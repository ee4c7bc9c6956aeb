// `./dev run --nodes 3`: three gateways that share a database's accounts, of which one is killed.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { binary } from "./support/binary.ts";
import { freePort } from "./support/gateway.ts";
import { scratchFolder } from "./support/scratch.ts";
import { waitFor, within } from "./support/wait.ts";

test("a person sees three at work, one killed, another take over, no message lost", async () => {
  const address = `127.0.0.1:${await freePort()}`;
  const child = spawn("./dev", ["run", "--nodes", "3", "--set", `http.listen=${address}`], {
    cwd: join(import.meta.dirname, ".."),
    env: {
      ...process.env,
      MERPATI_BINARY: binary,
      MERPATI_DEMO: join(scratchFolder("run-nodes"), "demo"),
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (piece: string) => (said += piece));
  child.stderr.setEncoding("utf8").on("data", (piece: string) => (said += piece));
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  await waitFor("the walk to end", () => said.includes("Kill a node yourself"), 150_000).catch(
    (error) => {
      throw new Error(`${error}\n${said}`);
    },
  );
  const [, victim] = /kill -9 of (node-[123]), which works for Demo/.exec(said) ?? [];
  const [, successor] = /(node-[123]) has taken over Demo/.exec(said) ?? [];
  expect(victim, said).toBeDefined();
  expect(successor, said).not.toBe(victim);
  const totals = [...said.matchAll(/of (node-\d): (\d+) messages accepted, (\d+) sent, 0 lost/g)];
  expect(new Set(totals.map(([, node]) => node)).size, said).toBe(3);
  for (const [, , accepted, sent] of totals) {
    expect(Number(accepted), said).toBeGreaterThanOrEqual(80);
    expect(sent).toBe(accepted);
  }
  const send = new RegExp(`curl http://${address}/v1/send[^]*?Halo!.*'`).exec(said);
  expect(await shell(send![0])).toContain('"status":"pending"');
  await waitFor("the callback", () => /signature ok .*"status":"sent"/.test(said));
  child.kill("SIGINT");
  expect(await within("the end", ended, 30_000), said).toBe(0);
}, 240_000);

/** What a command says that a person has copied. */
function shell(command: string): Promise<string> {
  const child = spawn("sh", ["-c", command], { stdio: ["ignore", "pipe", "ignore"] });
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (piece: string) => (said += piece));
  return within(
    "the command",
    new Promise((resolve) => child.on("close", () => resolve(said))),
  );
}
