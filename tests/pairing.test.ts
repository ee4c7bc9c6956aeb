// Pairing a device: the steps that a person sees in each interface, and the outcomes.
import { beforeAll, expect, test } from "vitest";
import type { Account } from "./support/account.ts";
import { shop } from "./support/account.ts";
import { onTerminal } from "./support/binary.ts";
import { openShop } from "./support/callback_shop.ts";
import { call, keyWith } from "./support/catalogue.ts";
import { expectSchema } from "./support/contract.ts";
import { Gateway } from "./support/gateway.ts";
import { exchange } from "./support/http.ts";
import { freshText, simulated } from "./support/numbers.ts";
import type { Sink } from "./support/sink.ts";
import { readTerminalCodes } from "./support/terminal_code.ts";
import { waitFor } from "./support/wait.ts";

let gateway: Gateway;
let sink: Sink;
let account: Account;

beforeAll(async () => {
  const opened = await openShop({ secure: false });
  ({ gateway, sink, account } = opened);
  return opened.close;
});

/** Runs `device pair --json`; `answer` goes to standard input. */
async function pair(number: string, flags: string[] = [], answer = "") {
  const { code, stdout, stderr } = await gateway.cliWith(
    answer, "device", "pair", number, ...flags, "--json",
  );
  const lines = stdout.split("\n").filter(Boolean);
  return { code, lines: lines.map((line) => JSON.parse(line)), stderr };
}

const wrong = "this is not the answer that the pairing waits for";
const ways: [string, string, string, string][] = [
  ["992001", "qr", "", ""],
  ["992002", "code", "", ""],
  ["992003", "otp", "654321\n123456\n", wrong],
  ["992004", "passkey", "{}\n", ""],
];

test.each(ways)("a device in %s is paired by %s", async (ending, method, answer, said) => {
  const number = simulated(ending);
  const path = `/${number}`;
  const added = await gateway.json(
    "device", "add", account.id, number, "--webhook", sink.url(path),
  );
  expect(added.state).toBe("disconnected");
  const body = { to: "6281234567890", from: number, message: freshText(), Type: "text" };
  expect((await account.send(body)).status).toBe(503);

  const { code, lines, stderr } = await pair(number, [], answer);
  if (said) expect(stderr).toContain(said);
  else expect(stderr).toBe("");
  expect(code).toBe(0);
  expect(lines.at(-1)).toMatchObject({ number, state: "connected" });
  const steps = lines.slice(0, -1);
  expect(steps.length).toBeGreaterThan(0);
  for (const step of steps) {
    expect(step).toMatchObject({ number, state: "pairing", method });
    expect(step.payload).not.toBe("");
    expect(Date.parse(step.expires_at)).toBeGreaterThan(Date.now() - 20_000);
  }
  const event = (name: string) =>
    sink.at(path).filter((request) => request.json.event === name).map((request) => request.json);
  await sink.requests(path, 2);
  expect(event("device.pairing")[0].data).toEqual({
    method,
    payload: expect.any(String),
    expires_at: expect.any(String),
  });
  for (const request of sink.at(path)) expectSchema("DeviceEvent", request.json);
  expect((await account.send(body)).status).toBe(200);
});

test("a paired device comes back after kill -9 without being paired again", async () => {
  const number = await account.device(simulated("992001"));
  expect((await pair(number)).code).toBe(0);
  await gateway.kill();
  // This word is the simulator's stored secret of a paired device. It occurs nowhere else but as a
  // field of devices in the log of changes.
  expect(gateway.stored().replaceAll('"simulated":', "")).not.toContain("simulated");
  await gateway.start();
  const body = { to: "6281234567890", from: number, message: freshText(), Type: "text" };
  expect((await account.send(body)).status).toBe(200);
  await gateway.simulator.attempt(body.message);
});

test("a terminal of 80 columns is shown a code that a phone can read", async () => {
  const number = await account.device(simulated("992001"));
  const { code, shown } = await onTerminal(["--config", gateway.config, "device", "pair", number]);
  expect(code, shown).toBe(0);
  expect(shown).toMatch(/Valid for \d+ s more\./);
  expect(shown).toContain(`merpati device pair ${number}`);
  expect(shown.trimEnd().endsWith("The device is connected.")).toBe(true);
  const codes = readTerminalCodes(shown);
  expect(codes).toHaveLength(2); // The simulator's first code expires.
  expect(new Set(codes).size).toBe(2);
  for (const text of codes) expect(text).toContain("SIM-QR-");
});

test("a program reads the QR code over the network, as a picture, text or JSON", async () => {
  const number = await account.device(simulated("992005"));
  const { key } = await gateway.json("key", "create", account.id, "--scopes", "devices:manage");
  gateway.secrets.add(key);
  const ask = (method: string, path: string, accept = "*/*") =>
    exchange({
      method,
      url: `${gateway.url}/v1/devices/${number}/${path}`,
      headers: { authorization: `Bearer ${key}`, accept },
    });
  expect((await ask("GET", "qr")).status).toBe(404);
  expect((await ask("POST", "pair")).status).toBe(200);
  const shown = await waitFor("the code", async () => {
    const answer = await ask("GET", "qr", "application/json");
    return answer.status === 200 && JSON.parse(answer.text);
  });
  expect(shown).toMatchObject({ number, payload: expect.stringContaining("SIM-QR-") });
  const picture = await ask("GET", "qr", "image/avif,image/svg+xml,image/*,*/*;q=0.8");
  expect(picture.headers["content-type"]).toBe("image/svg+xml");
  expect(picture.headers["cache-control"]).toBe("no-store");
  expect(picture.text).toMatch(/^<svg .*<\/svg>\n$/s);
  const drawn = await ask("GET", "qr", "text/plain");
  expect(drawn.text.split("\n").length).toBeGreaterThan(12);
  const code = await ask("POST", "pairing-code");
  expect(JSON.parse(code.text)).toMatchObject({ number, state: "pairing" });
});

test("nobody scans: the command fails with the reason", async () => {
  const number = await account.device(simulated("992005"));
  const { code, lines, stderr } = await pair(number);
  expect(code).toBe(1);
  expect(stderr).toContain("The QR code has expired");
  expect(lines.at(-1)).toMatchObject({ number, state: "disconnected" });
  expect(lines[0].payload).toContain("SIM-QR-1");
});

test("the way of pairing is passed on, and one that is not there is refused", async () => {
  const number = await account.device();
  const { code, lines } = await pair(number, ["--code"]);
  expect(code).toBe(0);
  expect(lines[0]).toMatchObject({ method: "code" });
  expect(lines[0].payload).toHaveLength(8);
  expect((await gateway.cli("device", "pair", number, "--method", "smoke")).code).toBe(2);
  expect((await gateway.cli("device", "pair", "6281200000000")).code).toBe(1);
});

test("on a stopped server nothing is paired", async () => {
  const stopped = await Gateway.create();
  const { device } = await shop(stopped);
  await stopped.stop();
  const result = await stopped.cli("device", "pair", device);
  expect(result.code).toBe(1);
  expect(result.stderr).toContain("server is stopped");
  await stopped.close();
});

test("a device is paired ten times at once and then has to wait; another has not", async () => {
  const key = await keyWith(account, ["devices:manage"]);
  const begin = (number: string, method: string) =>
    call(gateway, { method: "POST", path: `/v1/devices/${number}/pair` }, { key }, { method });
  const number = simulated("992005");
  await account.device(number);
  for (let time = 0; time < 10; ++time) expect((await begin(number, "qr")).status).toBe(200);
  const refused = await begin(number, "qr");
  expect(refused.status).toBe(429);
  expect(refused.json.detail).toContain(`${number} was paired or connected too often: wait `);
  expect(Number(refused.headers["retry-after"])).toBeGreaterThan(40);
  expect(Number(refused.headers["retry-after"])).toBeLessThanOrEqual(60);
  const connect = { method: "POST", path: `/v1/devices/${number}/connect` };
  expect((await call(gateway, connect, { key })).status).toBe(429);
  const neighbour = simulated("992005");
  await account.device(neighbour);
  expect((await begin(neighbour, "qr")).status).toBe(200);
});
