// Callers with a valid key that take connections, and hang up, beside others.
import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { shop, type Account } from "./support/account.ts";
import { expectAccepted } from "./support/expect.ts";
import { Gateway } from "./support/gateway.ts";
import { freshNumber, freshText } from "./support/numbers.ts";
import { waitFor, within } from "./support/wait.ts";

const connectionsMax = 20;

let gateway: Gateway;
let bad: { account: Account; device: string };
let honest: { account: Account; device: string };
beforeAll(async () => {
  gateway = await Gateway.create({
    settings: { "http.connections_max": connectionsMax, "http.threads": 1 },
  });
  bad = await shop(gateway, { rate: "5/s" }, { scopes: "send,account:read" });
  honest = await shop(gateway);
});
afterAll(() => gateway.close());

/** Connects and sends one request. */
function begin(request: string): Socket {
  const socket = connect({ port: Number(new URL(gateway.url).port), host: "127.0.0.1" });
  socket.on("error", () => {});
  socket.write(request);
  return socket;
}

const firstBytes = (socket: Socket): Promise<string> =>
  within("an answer", new Promise((resolve) => socket.once("data", (data) => resolve(`${data}`))));

async function figure(name: string): Promise<number> {
  const { text } = await gateway.request({ method: "GET", path: "/metrics" });
  const line = text.split("\n").find((one) => one.startsWith(`${name} `));
  return Number(line?.split(" ")[1] ?? 0);
}

test("an account whose idle connections fill the server leaves room for others", async () => {
  const request =
    `GET /v1/account HTTP/1.1\r\nHost: a\r\n` + `Authorization: Bearer ${bad.account.key}\r\n\r\n`;
  const idle: Socket[] = [];
  const statuses = new Set<string>();
  for (let number = 0; number < connectionsMax; number += 1) {
    const socket = begin(request);
    idle.push(socket);
    statuses.add((await firstBytes(socket)).slice(9, 12));
  }
  expect([...statuses].every((status) => status === "200" || status === "429")).toBe(true);
  const { device } = honest;
  expectAccepted(
    await honest.account.send({
      to: freshNumber(),
      from: device,
      Type: "text",
      message: freshText(),
    }),
  );
  const health = await gateway.request({ method: "GET", path: "/healthz" });
  expect(health.status).toBe(200);
  expect(await figure("merpati_http_shed_total")).toBeGreaterThan(0);
  idle.forEach((socket) => socket.destroy());
});

test("clients that hang up while they wait for an outcome are noticed", async () => {
  const open = () => figure("merpati_http_connections");
  await waitFor("the others to be gone", async () => (await open()) < 5);
  const body = () =>
    JSON.stringify({
      to: freshNumber(),
      from: honest.device,
      Type: "text",
      pesan: freshText(),
      delay: 60,
    });
  const waiting = Array.from({ length: 10 }, () => {
    const sent = body();
    return begin(
      `POST /v1/send HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${honest.account.key}\r\n` +
        `X-Api-Revision: B\r\nContent-Length: ${Buffer.byteLength(sent)}\r\n\r\n${sent}`,
    );
  });
  await waitFor(
    "the messages to be stored",
    async () => (await figure('merpati_messages_accepted_total{revision="B"}')) >= 10,
  );
  waiting.forEach((socket) => socket.destroy());
  await waitFor("the hang-ups", async () => (await figure("merpati_http_hung_up_total")) >= 10);
  expect(await open()).toBeLessThan(5);
});
