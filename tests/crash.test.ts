// kill -9 and power cuts at random moments under load: no accepted message may be lost, and after
// each one ledger, balance and messages agree.
//
// MERPATI_CRASH_ROUNDS: crashes for each row of the table; default: 5.
import { Agent } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { shop, type Account } from "./support/account.ts";
import { Gateway } from "./support/gateway.ts";
import { isConnectionLoss } from "./support/http.ts";
import { Ledger, type Order } from "./support/ledger.ts";
import { freshNumber, freshText, simulated } from "./support/numbers.ts";
import { onPostgres } from "./support/postgres.ts";
import { cutPower, cuttablePower } from "./support/power_cut.ts";
import { Sink } from "./support/sink.ts";
import { pause } from "./support/wait.ts";

const rounds = Number(process.env["MERPATI_CRASH_ROUNDS"] ?? 5);
const window = 8; // Sends in flight for each device.
const devices = 4;
const clients = 16; // Concurrent callers.
const credits = 10_000_000;

let sink: Sink;
beforeAll(async () => void (sink = await Sink.open({ secure: false })));
afterAll(() => sink.close());

// A power cut undoes what the gateway wrote to its store's file.
const powerCuts = onPostgres ? [] : [{ crash: "a power cut", dedupe: true, duplicatesMax: 0 }];

test.each([
  { crash: "kill -9", dedupe: true, duplicatesMax: 0 },
  { crash: "kill -9", dedupe: false, duplicatesMax: rounds * window * devices },
  ...powerCuts,
])(
  "after $crash no message and no callback is lost (platform recognises repeats: $dedupe)",
  async ({ crash, dedupe, duplicatesMax }) => {
    const hasPowerCuts = crash === "a power cut";
    const path = `/crash-${dedupe}-${hasPowerCuts}`;
    const gateway = await Gateway.create({
      environment: hasPowerCuts ? cuttablePower() : {},
      settings: {
        "simulator.dedupe": dedupe,
        "simulator.latency_ms": 10,
        "scheduler.window": window,
        "outbound.allow_http_callbacks": true,
        "log.level": "warn",
      },
    });
    const ledger = new Ledger();
    const { account, device } = await shop(gateway, { credits });
    const senders = [device];
    while (senders.length < devices) senders.push(await account.device());
    const cashier = new Cashier(account, (await account.createKey({ scopes: "admin" })).key);
    let cutOff: Order[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const load = Array.from({ length: clients }, (_, index) =>
        client(account, senders[index % devices]!, path, ledger),
      );
      const bookings = cashier.work();
      await pause(200 + Math.random() * 1000); // The random moment.
      await (hasPowerCuts ? cutPower(gateway) : gateway.kill());
      cutOff = await Promise.all(load);
      await bookings;
      await expectBooksAgree(gateway);
      await gateway.start();
      await cashier.settle();
      // Requests that the kill cut off may have been accepted; their keys make repeating them safe.
      await Promise.all(cutOff.map((order) => ask(account, order, ledger)));
    }
    await sink.untilTold(path, ledger.accepted);
    const { credit } = await gateway.json("account", "show", account.id);
    const list = await gateway.json("message", "list", "--limit", "10000000");
    const calledBack = sink.at(path).map((received) => received.json);
    const totals = ledger.totals(gateway.simulator.all(), list, calledBack);
    console.log(`crash ledger, ${rounds} times ${crash}: ${JSON.stringify(totals)}`);
    expect(totals.accepted).toBeGreaterThan(rounds * clients);
    expect(totals).toMatchObject({ lost: 0, callbacksLost: 0, waiting: 0, unexpected: 0 });
    expect(totals.sent + totals.failed + totals.waiting).toBe(totals.accepted);
    expect(totals.failed).toBeGreaterThan(0);
    expect(totals.duplicates).toBeLessThanOrEqual(duplicatesMax);
    expect(cashier.count).toBeGreaterThan(rounds);
    expect(credits + cashier.booked - credit).toBe(totals.sent);
    await expectBooksAgree(gateway);
    await gateway.close();
  },
  60_000 + rounds * 30_000,
);

/** One caller: sends messages until the server dies; resolves with the request that was cut off. */
async function client(account: Account, from: string, path: string, ledger: Ledger) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  for (let count = 0; ; count += 1) {
    const text = freshText("crash");
    const to = count % 5 === 3 ? simulated("991001") : freshNumber();
    const delay = count % 3 === 0 ? undefined : 1 + (count % 3);
    const order = {
      text,
      key: text.replaceAll(" ", "-"),
      body: { to, from, message: text, Type: "text", delay, callbackStatus: sink.url(path) },
    };
    try {
      await ask(account, order, ledger, agent);
    } catch (error) {
      if (!isConnectionLoss(error)) throw error;
      ledger.cutOff();
      agent.destroy();
      return order;
    }
  }
}

async function ask(account: Account, order: Order, ledger: Ledger, agent?: Agent) {
  const headers = { "Idempotency-Key": order.key };
  const reply = await account.send(order.body, { headers, agent });
  if (reply.status !== 200) throw new Error(`refused: ${reply.text}`);
  ledger.answered(reply.json.data.requestId, order.text);
}

/** Books credits and debits, one after another, until the server dies. */
class Cashier {
  booked = 0;
  count = 0;
  private cutOff: number | undefined;
  private readonly account: Account;
  private readonly key: string;

  constructor(account: Account, key: string) {
    this.account = account;
    this.key = key;
  }

  async work(): Promise<void> {
    for (;;) {
      const amount = this.count % 3 === 2 ? -5 : 7;
      try {
        await this.book(amount);
      } catch (error) {
        if (!isConnectionLoss(error)) throw error;
        this.cutOff = amount;
        return;
      }
    }
  }

  /** Repeats the booking that was cut off, if any; its key makes that safe. */
  async settle(): Promise<void> {
    if (this.cutOff !== undefined) await this.book(this.cutOff);
    this.cutOff = undefined;
  }

  private async book(amount: number): Promise<void> {
    const reply = await this.account.post(
      `/v1/admin/accounts/${this.account.id}/topup`,
      { amount, reason: "under kills" },
      { key: this.key, headers: { "Idempotency-Key": `booking-${this.count}` } },
    );
    // The booking was made, but the kill came before its answer was stored.
    const made = reply.status === 200 || reply.json.code === "idempotency_unfinished";
    if (!made) throw new Error(`refused: ${reply.text}`);
    this.booked += amount;
    this.count += 1;
  }
}

async function expectBooksAgree(gateway: Gateway): Promise<void> {
  const { stdout } = await gateway.cli("doctor", "--json");
  const findings: any[] = JSON.parse(stdout).findings;
  expect(findings.filter((one) => one.subject === "credit")).toEqual([
    expect.objectContaining({ verdict: "good" }),
  ]);
}
