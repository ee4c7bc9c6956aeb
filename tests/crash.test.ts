// kill -9 at random moments under load: nothing that was accepted may be lost.
//
// MERPATI_CRASH_ROUNDS: how often each kind of platform is tried, 5 unless said otherwise.
import { Agent } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { shop, type Account } from "./support/account.ts";
import { Gateway } from "./support/gateway.ts";
import { Ledger, type LedgerTotals } from "./support/ledger.ts";
import { freshNumber, freshText } from "./support/numbers.ts";
import { Sink } from "./support/sink.ts";
import { pause, waitFor } from "./support/wait.ts";

const rounds = Number(process.env["MERPATI_CRASH_ROUNDS"] ?? 5);
const window = 8; // Sends in flight per device,
const devices = 2; // of so many devices,
const clients = 16; // and so many callers at once.

let sink: Sink;
beforeAll(async () => void (sink = await Sink.open({ secure: false })));
afterAll(() => sink.close());

test.each([
  { dedupe: true, duplicatesMax: 0 },
  { dedupe: false, duplicatesMax: rounds * window * devices },
])(
  "no accepted message and no callback is lost (platform recognises repeats: $dedupe)",
  async ({ dedupe, duplicatesMax }) => {
    const path = `/crash-${dedupe}`;
    const gateway = await Gateway.create({
      settings: {
        "simulator.dedupe": dedupe,
        "simulator.latency_ms": 20,
        "scheduler.window": window,
        "outbound.allow_http_callbacks": true,
        "log.level": "warn",
      },
    });
    const ledger = new Ledger();
    const { account, device } = await shop(gateway);
    const senders = [device, await account.device()];
    for (let round = 0; round < rounds; round += 1) {
      const load = Array.from({ length: clients }, (_, index) =>
        client(gateway, account, senders[index % devices]!, path, ledger),
      );
      await pause(200 + Math.random() * 1000); // The random moment.
      await gateway.kill();
      await Promise.all(load);
      await gateway.start();
    }
    const totals = await drain(gateway, ledger, path);
    console.log(`crash ledger, ${rounds} kills, dedupe ${dedupe}: ${JSON.stringify(totals)}`);
    expect(totals.accepted).toBeGreaterThan(rounds * clients);
    expect(totals).toMatchObject({ lost: 0, callbacksLost: 0, waiting: 0 });
    expect(totals.sent + totals.failed + totals.waiting).toBe(totals.accepted);
    expect(totals.duplicates).toBeLessThanOrEqual(duplicatesMax);
    await gateway.close();
  },
  60_000 + rounds * 20_000,
);

/** One caller: sends one message after another until the server dies. */
async function client(
  gateway: Gateway,
  account: Account,
  from: string,
  path: string,
  ledger: Ledger,
) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  for (;;) {
    const message = freshText("crash");
    const body = {
      to: freshNumber(),
      from,
      message,
      Type: "text",
      delay: 1,
      callbackStatus: sink.url(path),
    };
    try {
      const reply = await gateway.request({
        method: "POST",
        path: "/v1/send",
        agent,
        headers: { authorization: `Bearer ${account.key}` },
        body: JSON.stringify(body),
      });
      if (reply.status === 200) ledger.answered(JSON.parse(reply.text).data.requestId, message);
    } catch (error) {
      if (!isConnectionLoss(error)) throw error;
      ledger.cutOff(message);
      agent.destroy();
      return;
    }
  }
}

function isConnectionLoss(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code ?? "";
  return (
    ["ECONNRESET", "ECONNREFUSED", "EPIPE"].includes(code) ||
    /aborted|socket hang up/.test(String(error))
  );
}

/** Waits until nothing is left to do, then closes the books. */
async function drain(gateway: Gateway, ledger: Ledger, path: string): Promise<LedgerTotals> {
  const calledBack = () =>
    new Set(sink.at(path).map((received) => received.json.requestId as string));
  const everyone = () => {
    const ids = calledBack();
    return [...ledger.accepted.keys()].every((id) => ids.has(id));
  };
  // When it does not come to that, the books will say what is missing.
  await waitFor("every callback", everyone, 60_000).catch(() => undefined);
  expect(await gateway.stop()).toBe(0);
  const list = await gateway.json("message", "list", "--limit", "1000000");
  const states = new Map<string, string>(
    list.map((message: { id: string; state: string }) => [message.id, message.state]),
  );
  await gateway.start();
  return ledger.totals(gateway.simulator.all(), states, calledBack());
}
