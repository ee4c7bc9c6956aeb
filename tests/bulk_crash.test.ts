// kill -9 at random moments under bulk load: a request is stored as a whole or not at all, its
// repeat gets its answer, and ledger, balance and messages agree.
//
// MERPATI_CRASH_ROUNDS: kills; default: 5.
import { afterAll, beforeAll, expect, test } from "vitest";
import { shop, type Account } from "./support/account.ts";
import type { Json } from "./support/contract.ts";
import { Gateway } from "./support/gateway.ts";
import { isConnectionLoss } from "./support/http.ts";
import { freshNumber, freshText } from "./support/numbers.ts";
import { pause, waitFor } from "./support/wait.ts";

const rounds = Number(process.env["MERPATI_CRASH_ROUNDS"] ?? 5);
const clients = 4;
const each = 50; // Messages of a request.
const credits = 10_000_000;

let gateway: Gateway;
let account: Account;
let device: string;
beforeAll(async () => {
  gateway = await Gateway.create({
    settings: { "simulator.dedupe": true, "scheduler.window": 8, "log.level": "warn" },
  });
  ({ account, device } = await shop(gateway, { credits }));
});
afterAll(() => gateway.close());

interface Order {
  key: string;
  messages: Json[];
  answer?: string; // The first one.
}

let orders = 0;
function order(): Order {
  const key = `bulk-crash-${(orders += 1)}`;
  const messages = Array.from({ length: each }, (_, row) => ({
    to: freshNumber(),
    from: device,
    message: row === 7 ? " " : freshText("bulk"),
    Type: "text",
    ...(row % 2 === 0 && { key: `${key}-${row}` }),
  }));
  return { key, messages };
}

/** Asks, and checks that every answer to the same request is the same. */
async function ask(one: Order): Promise<void> {
  const headers = { "Idempotency-Key": one.key };
  const reply = await account.post("/v1/messages/bulk", { messages: one.messages }, { headers });
  expect(reply.status, reply.text.slice(0, 500)).toBe(200);
  expect(reply.json).toMatchObject({ accepted: each - 1, refused: 1 });
  one.answer ??= reply.text;
  expect(reply.text).toBe(one.answer);
}

/** Sends requests until the server dies; returns them, the last one perhaps without an answer. */
async function client(): Promise<Order[]> {
  const asked: Order[] = [];
  for (;;) {
    const one = order();
    asked.push(one);
    try {
      await ask(one);
    } catch (error) {
      if (!isConnectionLoss(error)) throw error;
      return asked;
    }
  }
}

test(
  "no accepted message of a bulk is lost or doubled",
  async () => {
    const asked: Order[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const load = Array.from({ length: clients }, client);
      await pause(200 + Math.random() * 800); // The random moment.
      await gateway.kill();
      await expectBooksAgree();
      const now = (await Promise.all(load)).flat();
      await gateway.start();
      for (const one of now.slice(-2 * clients)) await ask(one);
      for (const one of now.filter(({ answer }) => answer === undefined)) await ask(one);
      asked.push(...now);
    }
    for (const one of asked) await ask(one); // Nothing is sent again.

    const ids = asked.flatMap(({ answer }) =>
      JSON.parse(answer!).results.flatMap((result: Json) => result.requestId ?? []),
    );
    expect(new Set(ids).size).toBe(asked.length * (each - 1));
    const list = () => gateway.json("message", "list", "--limit", "10000000");
    await waitFor(
      "all to be sent",
      async () => (await list()).every((one: Json) => one.state === "sent"),
      30_000 + rounds * 20_000, // What was accepted within a second takes one device several.
    );
    expect(new Set((await list()).map((one: Json) => one.id))).toEqual(new Set(ids));
    const { credit } = await gateway.json("account", "show", account.id);
    expect(credits - credit).toBe(ids.length);
    const reached = gateway.simulator.all();
    expect(new Set(reached.map(({ body }) => body)).size).toBe(ids.length);
    expect(new Set(reached.map(({ messageid }) => messageid)).size).toBe(ids.length);
    await expectBooksAgree();
  },
  60_000 + rounds * 40_000,
);

async function expectBooksAgree(): Promise<void> {
  const { stdout } = await gateway.cli("doctor", "--json");
  const findings: Json[] = JSON.parse(stdout).findings;
  expect(findings.filter((one) => one.subject === "credit")).toEqual([
    expect.objectContaining({ verdict: "good" }),
  ]);
}
