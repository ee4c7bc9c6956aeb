// Linked devices that are shared among workers: the kill of one worker concerns its devices only.
import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Account } from "./support/account.ts";
import { Gateway } from "./support/gateway.ts";
import { freshNumber, freshText } from "./support/numbers.ts";
import { manage, Platform } from "./support/platform.ts";
import { waitFor } from "./support/wait.ts";

const friend = freshNumber();
let platform: Platform;
let gateway: Gateway;
let account: Account;

beforeAll(async () => {
  platform = await Platform.start();
  gateway = await Gateway.create({ settings: { ...platform.settings, "linked.workers": 2 } });
  account = await gateway.account();
  await account.createKey();
  await platform.ask("register", { number: friend });
}, 120_000);
afterAll(async () => {
  await gateway.close();
  await platform.end();
});

/** The processes of the workers: the gateway's children that run Node.js. */
function workers(): number[] {
  const runs = (pid: string): boolean => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      const parent = Number(stat.slice(stat.lastIndexOf(")")).split(" ")[2]);
      const command = readFileSync(`/proc/${pid}/cmdline`, "utf8");
      return parent === gateway.pid && command.includes("main.js");
    } catch {
      return false; // The process has ended meanwhile.
    }
  };
  return readdirSync("/proc").filter((name) => /^\d+$/.test(name)).filter(runs).map(Number);
}

const send = async (from: string): Promise<void> => {
  const text = freshText("workers");
  const reply = await account.send({ to: friend, from, message: text, Type: "text" });
  expect(reply.status).toBe(200);
  await waitFor("the message to be shown", async () => {
    const { messages } = await platform.ask("shown", { number: friend });
    return messages.some((message: any) => message.text === text);
  });
};

test("a worker that is killed disconnects no device of another", { timeout: 120_000 }, async () => {
  const mine = freshNumber();
  await platform.link(account, mine);
  const first = workers();
  expect(first).toHaveLength(1);
  // Each worker starts with its first device.
  let others = "";
  for (let tries = 0; workers().length < 2; tries += 1) {
    expect(tries).toBeLessThan(20);
    others = freshNumber();
    await platform.link(account, others);
  }
  const second = workers().find((pid) => !first.includes(pid))!;
  const since = await platform.last();
  process.kill(second, "SIGKILL");
  await send(mine);
  await platform.event({ type: "login", number: others }, since);
  await waitFor(
    "the other device",
    async () => (await manage(gateway, "GET", `/devices/${others}`)).state === "connected",
  );
  await send(others);
  expect(await platform.events({ type: "login", number: mine }, since)).toEqual([]);
  expect(workers()).toContain(first[0]);

  const stopped = await manage(gateway, "POST", `/devices/${mine}/disconnect`);
  expect(stopped.state).toBe("disconnected");
});
