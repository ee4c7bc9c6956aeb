// Callers that send messages through a cluster without a break, each to whichever node takes them.
import type { Reply } from "./account.ts";
import type { Cluster } from "./cluster.ts";
import type { Gateway } from "./gateway.ts";
import { isConnectionLoss } from "./http.ts";
import { Ledger, type Order } from "./ledger.ts";
import { freshNumber, freshText } from "./numbers.ts";
import { pause, waitFor, within } from "./wait.ts";

const CALLERS = 8;
const ANSWER_MAX = 2_000; // Milliseconds; a node that was frozen does not answer.
const ACCEPTED_WITHIN = 60_000;
const NOT_YET = [409, 503]; // It is still being answered elsewhere, or nobody can take it now.

export class Callers {
  readonly ledger = new Ledger();
  private readonly cluster: Cluster;
  private readonly callback: string;
  private readonly times: number[] = []; // When messages were accepted.
  private readonly running: Promise<void>[] = [];
  private latest = 0; // The place of the node that has accepted the latest message.
  private hasEnded = false;

  constructor(cluster: Cluster, callback: string) {
    this.cluster = cluster;
    this.callback = callback;
  }

  start(): void {
    for (let index = 0; index < CALLERS; index += 1) {
      const call = this.call(index);
      call.catch(() => {}); // `stop` and `accept` report it.
      this.running.push(call);
    }
  }

  /** Waits until so many more messages are accepted. */
  async accept(count: number): Promise<void> {
    const goal = this.times.length + count;
    const accepted = waitFor(
      `${count} more accepted messages`,
      () => this.times.length >= goal,
      ACCEPTED_WITHIN,
    );
    await Promise.race([accepted, Promise.all(this.running)]);
  }

  /** Asks for nothing new, and waits until all that was asked for is accepted. */
  async stop(): Promise<void> {
    this.hasEnded = true;
    await within("the last answers", Promise.all(this.running), ACCEPTED_WITHIN);
  }

  /** Between two accepted messages, in milliseconds. */
  longestPause(): number {
    return this.times.reduce((longest, time, index) => {
      const before = this.times[index - 1] ?? time;
      return Math.max(longest, time - before);
    }, 0);
  }

  private async call(index: number): Promise<void> {
    for (let count = 0; !this.hasEnded; count += 1) {
      const message = freshText("simpul");
      const from = this.cluster.devices[(index + count) % this.cluster.devices.length]!;
      const delay = count % 3 === 2 ? 1 : undefined;
      const to = freshNumber();
      await this.ask({
        text: message,
        key: message.replaceAll(" ", "-"),
        body: { to, from, message, Type: "text", delay, callbackStatus: this.callback },
      });
    }
  }

  /** Asks one node after the other, with the same key, until the message is accepted. */
  private async ask(order: Order): Promise<void> {
    const { gateways } = this.cluster;
    const end = performance.now() + ACCEPTED_WITHIN;
    for (let turn = this.latest; performance.now() < end; turn += 1) {
      const place = turn % gateways.length;
      const reply = await this.attempt(order, gateways[place]!);
      if (reply?.status === 200) {
        this.latest = place;
        this.times.push(performance.now());
        this.ledger.answered(reply.json.data.requestId, order.text);
        return;
      }
      if (reply && !NOT_YET.includes(reply.status)) throw new Error(`refused: ${reply.text}`);
      await pause(20);
    }
    throw new Error(`no node has accepted a message within ${ACCEPTED_WITHIN} ms`);
  }

  /** Undefined: the node gave no answer. */
  private async attempt(order: Order, gateway: Gateway): Promise<Reply | undefined> {
    const headers = { "Idempotency-Key": order.key };
    const account = this.cluster.accountAt(gateway);
    try {
      return await account.send(order.body, { headers, deadline: ANSWER_MAX });
    } catch (error) {
      if (!isConnectionLoss(error) && !/not within/.test(String(error))) throw error;
      if (!/ECONNREFUSED/.test(String(error))) this.ledger.cutOff();
      return undefined;
    }
  }
}
