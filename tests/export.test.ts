// An export is made while it is read. A slow reader does not delay others.
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { shop, type Account } from "./support/account.ts";
import { expectAccepted } from "./support/expect.ts";
import { Gateway } from "./support/gateway.ts";
import { freshNumber, freshText } from "./support/numbers.ts";
import { onPostgres } from "./support/postgres.ts";
import { within } from "./support/wait.ts";

const messages = 250;
/** Many of these exceed the socket buffers of both sides. */
const longRecipient = "6".repeat(40_000);

let gateway: Gateway;
let account: Account;
let ids: string[];

beforeAll(async () => {
  gateway = await Gateway.create();
  const made = await shop(gateway);
  account = made.account;
  ids = [];
  for (let turn = 0; turn < messages; ++turn) {
    const body = { to: longRecipient, from: made.device, message: freshText(), Type: "text" };
    ids.push(expectAccepted(await account.send({ ...body, delay: 18_000 })));
  }
});
afterAll(() => gateway.close());

/** A client that has sent its request, and reads nothing yet. */
async function ask(target: string): Promise<Socket> {
  const socket = connect(gateway.own(".sock"));
  await new Promise((resolve) => socket.once("connect", resolve));
  socket.pause();
  socket.write(`GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
  return socket;
}

function rest(socket: Socket): Promise<string> {
  let text = "";
  const closed = new Promise<string>((resolve) => socket.on("close", () => resolve(text)));
  socket.setEncoding("utf8").on("data", (piece: string) => (text += piece));
  socket.resume();
  return within("the export to end", closed, 30_000);
}

/** The body of a chunked answer. */
function joined(answer: string): string {
  let rest = answer.slice(answer.indexOf("\r\n\r\n") + 4);
  let body = "";
  for (;;) {
    const line = rest.indexOf("\r\n");
    const size = Number.parseInt(rest.slice(0, line), 16);
    if (size === 0) return body;
    body += rest.slice(line + 2, line + 2 + size);
    rest = rest.slice(line + 4 + size);
  }
}

const exported = (stdout: string) =>
  stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line).id);

test("a line a message, newest first, on a running and on a stopped server", async () => {
  const running = await gateway.cli("message", "export");
  expect(running.code).toBe(0);
  expect(exported(running.stdout)).toEqual(ids.toReversed());
  expect(await gateway.stop()).toBe(0);
  const stopped = await gateway.cli("message", "export", "--account", account.id);
  expect(stopped.code).toBe(0);
  expect(exported(stopped.stdout)).toEqual(ids.toReversed());
  await gateway.start();
  expect((await gateway.cli("message", "export", "--state", "sent")).stdout).toBe("");
  expect((await gateway.cli("message", "export", "--account", "acc_999")).code).toBe(1);
});

test("clients that do not read hold up neither calls nor other exports", async () => {
  const slow = await Promise.all([1, 2, 3, 4].map(() => ask("/v1/messages/export")));
  expect(await gateway.json("account", "show", account.id)).toMatchObject({ id: account.id });
  expect(exported((await gateway.cli("message", "export")).stdout)).toHaveLength(messages);
  const copy = join(gateway.folder, "copy.db");
  if (!onPostgres) expect(await gateway.json("backup", copy)).toMatchObject({ file: copy });
  for (const socket of slow.slice(1)) socket.destroy();
  const text = await rest(slow[0]!);
  expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(text).toMatch(/\r\nTransfer-Encoding: chunked\r\n/);
  expect(text.endsWith("\r\n0\r\n\r\n")).toBe(true);
  expect(exported(joined(text))).toEqual(ids.toReversed());
});

test("an export that is asked for in vain is refused before it begins", async () => {
  const text = await rest(await ask("/v1/messages/export?colour=red"));
  expect(text).toMatch(/^HTTP\/1\.1 400 /);
  expect(text).toContain("colour");
});

test("a search finds the same on a running and on a stopped server, as CSV too", async () => {
  const [number, device] = [freshNumber(), freshNumber()];
  await account.device(device);
  const body = { to: number, from: device, message: freshText(), Type: "text", delay: 18_000 };
  const wanted = expectAccepted(await account.send(body));
  const searches = async () => {
    for (const filter of [["--to", number], ["--device", device, "--source", "api"]]) {
      expect(await gateway.json("message", "list", ...filter)).toMatchObject([{ id: wanted }]);
    }
    expect(await gateway.json("message", "list", "--to", number, "--code", "200")).toEqual([]);
    expect(await gateway.json("message", "list", "--text", "success")).toEqual([]);
    const csv = await gateway.cli("message", "export", "--format", "csv", "--to", `+${number}`);
    const [heading, record, ...others] = csv.stdout.split("\r\n");
    expect(heading).toMatch(/^id,account,from,to,state,/);
    expect(record).toMatch(new RegExp(`^${wanted},${account.id},${device},${number},pending,`));
    expect(others).toEqual([""]);
  };
  await searches();
  expect(await gateway.stop()).toBe(0);
  await searches();
  await gateway.start();
  expect((await gateway.cli("message", "list", "--to", "budi")).code).toBe(1);
  await gateway.json("message", "cancel", wanted);
});
