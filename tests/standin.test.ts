// The stand-in platform, judged by unmodified clients.
import { afterAll, beforeAll, expect, test } from "vitest";
import { StandIn } from "./standin/stand_in.ts";
import { Client } from "./standin/testing/client.ts";

const clients: Client[] = [];
let standIn: StandIn;

beforeAll(async () => {
  standIn = await StandIn.start();
});
afterAll(async () => {
  await Promise.all(clients.map((client) => client.end()));
  await standIn.end();
});

test("a client is linked by a QR code, and logs in again without one", async () => {
  const client = make();
  expect(await standIn.phone("628111000001").scan(await client.qr())).toBe(1);
  await client.linked();
  expect(client.state.creds.me).toMatchObject({ id: "628111000001:1@s.whatsapp.net" });
  await client.end();
  client.reconnect();
  await client.open();
  expect(violations()).toEqual([]);
});

test("a client is linked by a code of eight characters", async () => {
  const client = make();
  const code = await client.code("628111000002");
  expect(await standIn.phone("628111000002").enterCode(code)).toBe(1);
  await client.linked();
  expect(violations()).toEqual([]);
});

function make(): Client {
  const client = new Client(standIn);
  clients.push(client);
  return client;
}

function violations() {
  return standIn.events.after(0, ({ type }) => type === "violation" || type === "unknown_query");
}
