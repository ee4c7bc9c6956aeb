// Callers that send messages through a cluster without a break, each to whichever node takes them.
import type { Reply } from "./account.ts";
import { type Cluster, servedBy, type Shop } from "./cluster.ts";
import type { Gateway } from "./gateway.ts";
import { isConnectionLoss } from "./http.ts";
import { Ledger, type Order } from "./ledger.ts";
import { freshNumber, freshText } from "./numbers.ts";
import { pause, waitFor, within } from "./wait.ts";

const CALLERS = 8;
const ANSWER_MAX = 2_000; // Milliseconds; a node that was frozen does not answer.
const ACCEPTED_WITHIN = 60_000;
// It is still being answered elsewhere, nobody can take it now, or whether the node that had it has
// carried it out is not known. Its key makes a repeat safe.
const NOT_YET = [409, 502, 503];

export interface CallersOptions {
  shops?: Shop[]; // Whose messages they send; those of the first account, unless given.
  ways?: Gateway[]; // The nodes that they ask; all, unless given.
  patience?: number; // How long they wait for an answer, in milliseconds.
}

/** One accepted message. */
interface Accepted {
  shop: Shop;
  at: number;
  took: number; // Milliseconds since it was first asked for.
}

export class Callers {
  readonly ledger = new Ledger();
  /** How often they were told to repeat a request, by the answer's status. */
  readonly refused = new Map<number, number>();
  /** The nodes that they ask from now on. */
  ways: Gateway[];
  private readonly cluster: Cluster;
  private readonly callback: string;
  private readonly options: CallersOptions;
  private readonly accepted: Accepted[] = [];
  private readonly running: Promise<void>[] = [];
  private hasEnded = false;

  constructor(cluster: Cluster, callback: string, options: CallersOptions = {}) {
    this.cluster = cluster;
    this.callback = callback;
    this.options = options;
    this.ways = options.ways ?? cluster.gateways;
  }

  start(): void {
    const shops = this.options.shops ?? [this.shopOfCluster()];
    for (let index = 0; index < CALLERS; index += 1) {
      const call = this.call(index, shops[index % shops.length]!);
      call.catch(() => {}); // `stop` and `accept` report it.
      this.running.push(call);
    }
  }

  /** Waits until so many more messages are accepted, of all or of one shop. */
  async accept(count: number, shop?: Shop): Promise<void> {
    const goal = this.of(shop).length + count;
    const accepted = waitFor(
      `${count} more accepted messages`,
      () => this.of(shop).length >= goal,
      ACCEPTED_WITHIN,
    );
    await Promise.race([accepted, Promise.all(this.running)]);
  }

  /** Asks for nothing new, and waits until all that was asked for is accepted. */
  async stop(): Promise<void> {
    this.hasEnded = true;
    await within("the last answers", Promise.all(this.running), ACCEPTED_WITHIN);
  }

  /** Between two accepted messages of all or of one shop, in milliseconds. */
  longestPause(shop?: Shop): number {
    const times = this.of(shop).map(({ at }) => at);
    return times.reduce((longest, time, index) => {
      const before = times[index - 1] ?? time;
      return Math.max(longest, time - before);
    }, 0);
  }

  /** The longest time in which a message of the shop was accepted, repeats included. */
  slowest(shop: Shop): number {
    return Math.max(0, ...this.of(shop).map(({ took }) => took));
  }

  private shopOfCluster(): Shop {
    const { gateways, devices } = this.cluster;
    return { account: this.cluster.accountAt(gateways[0]!), devices };
  }

  private of(shop?: Shop): Accepted[] {
    return shop ? this.accepted.filter((one) => one.shop === shop) : this.accepted;
  }

  private async call(index: number, shop: Shop): Promise<void> {
    let way = index; // The place of the node that has accepted its latest message.
    for (let count = 0; !this.hasEnded; count += 1) {
      const message = freshText("simpul");
      const from = shop.devices[(index + count) % shop.devices.length]!;
      const delay = count % 3 === 2 ? 1 : undefined;
      const to = freshNumber();
      const body = { to, from, message, Type: "text", delay, callbackStatus: this.callback };
      const order = { text: message, key: message.replaceAll(" ", "-"), body };
      way = await this.ask(order, shop, way);
    }
  }

  /**
   * Asks one node after the other, with the same key, until the message is accepted. Resolves with
   * the place of the node that did.
   */
  private async ask(order: Order, shop: Shop, first: number): Promise<number> {
    const began = performance.now();
    for (let way = first; performance.now() < began + ACCEPTED_WITHIN; way += 1) {
      const reply = await this.attempt(order, shop, this.ways[way % this.ways.length]!);
      if (reply?.status === 200) {
        const at = performance.now();
        this.accepted.push({ shop, at, took: at - began });
        this.ledger.answered(reply.json.data.requestId, order.text);
        return way;
      }
      if (reply && !NOT_YET.includes(reply.status)) throw new Error(`refused: ${reply.text}`);
      if (reply) this.refused.set(reply.status, (this.refused.get(reply.status) ?? 0) + 1);
      await pause(20);
    }
    throw new Error(`no node has accepted a message within ${ACCEPTED_WITHIN} ms`);
  }

  /** Undefined: the node gave no answer. */
  private async attempt(order: Order, shop: Shop, way: Gateway): Promise<Reply | undefined> {
    const headers = { "Idempotency-Key": order.key };
    const deadline = this.options.patience ?? ANSWER_MAX;
    try {
      return await servedBy(way, shop.account).send(order.body, { headers, deadline });
    } catch (error) {
      if (!isConnectionLoss(error) && !/not within/.test(String(error))) throw error;
      if (!/ECONNREFUSED/.test(String(error))) this.ledger.cutOff();
      return undefined;
    }
  }
}
