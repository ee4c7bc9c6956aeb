// kill -9 and power cuts at each step of a campaign's life: nobody gets two messages, nobody is
// left out, an uploaded list is whole or absent, and counts, recipients, callbacks, webhook events
// and the ledger agree.
//
// MERPATI_CAMPAIGN_ROUNDS: crashes at each step, for each kind of crash; default: 1.
import { afterAll, beforeAll, expect, test } from "vitest";
import { shop, type Account } from "./support/account.ts";
import { Campaigns, type Row } from "./support/campaigns.ts";
import type { Json } from "./support/contract.ts";
import { Gateway } from "./support/gateway.ts";
import { isConnectionLoss } from "./support/http.ts";
import { freshNumber, simulated } from "./support/numbers.ts";
import { onPostgres } from "./support/postgres.ts";
import { cutPower, cuttablePower } from "./support/power_cut.ts";
import { Sink } from "./support/sink.ts";
import { pause, waitFor } from "./support/wait.ts";

const rounds = Number(process.env["MERPATI_CAMPAIGN_ROUNDS"] ?? 1);
const window = 8; // Sends in flight for each device.
const devices = 2;
const people = 300; // Of each list; one in ten is not registered.
const refused = 6; // Rows of each list without a number, or with one that it has before.
const credits = 10_000_000;
const states = ["pending", "queued", "sent", "failed", "skipped", "uncertain", "cancelled"];

let sink: Sink;
beforeAll(async () => void (sink = await Sink.open({ secure: false })));
afterAll(() => sink.close());

/** A step at which the server is killed, at a random moment of `span` milliseconds. */
interface Step {
  name: string;
  reach: (life: Life) => Promise<void>;
  act?: (life: Life) => Promise<unknown>; // The request that the kill may cut off.
  span: number;
  end?: string; // Default: "finished".
}

const steps: Step[] = [
  { name: "upload", reach: async () => {}, act: (life) => life.upload(), span: 60 },
  { name: "start", reach: (life) => life.upload(), act: (life) => life.act("start"), span: 15 },
  { name: "hand-over", reach: (life) => life.run(), span: 20 },
  { name: "running", reach: (life) => life.runUntil(people * 0.8 * Math.random()), span: 10 },
  {
    name: "pause",
    reach: (life) => life.runUntil(people / 4),
    act: (life) => life.act("pause"),
    span: 15,
  },
  {
    name: "resume",
    reach: async (life) => {
      await life.runUntil(people / 4);
      await life.act("pause");
    },
    act: (life) => life.act("resume"),
    span: 15,
  },
  {
    name: "cancel",
    reach: (life) => life.runUntil(people / 4),
    act: (life) => life.act("cancel"),
    span: 20,
    end: "cancelled",
  },
  { name: "finish", reach: (life) => life.runUntil(people - 4), span: 10 },
];

// A power cut undoes what the gateway wrote to its store's file.
const powerCut = { crash: "a power cut", dedupe: false, uncertainMax: window * devices };

test.each([
  { crash: "kill -9", dedupe: true, uncertainMax: 0 },
  { crash: "kill -9", dedupe: false, uncertainMax: window * devices },
  ...(onPostgres ? [] : [powerCut]),
])(
  "after $crash a campaign goes on exactly where it was (platform recognises repeats: $dedupe)",
  async ({ crash, dedupe, uncertainMax }) => {
    const hasPowerCuts = crash === "a power cut";
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
    const { account, device } = await shop(gateway, {
      credits,
      callback: sink.url(eventsOf(gateway)),
    });
    const senders = [device, await account.device()];
    const campaigns = await Campaigns.of(account);
    let [uncertain, lost] = [0, 0];
    for (let round = 0; round < rounds; round += 1) {
      for (const step of steps) {
        const life = await Life.begin(gateway, campaigns, account, senders);
        await step.reach(life);
        const asked = step.act?.(life).catch(passIfCutOff);
        await pause(Math.random() * step.span); // The random moment.
        if (hasPowerCuts) lost += await cutPower(gateway);
        else await gateway.kill();
        await asked;
        await expectBooksAgree(gateway);
        await gateway.start();
        await life.complete(step);
        const { counts } = await life.expectExact(step.name);
        expect(counts.uncertain).toBeLessThanOrEqual(uncertainMax);
        uncertain += counts.uncertain;
      }
    }
    console.log(`campaigns, ${crash}: ${uncertain} uncertain, ${lost} sectors lost`);
    await expectBooksAgree(gateway);
    await gateway.close();
  },
  60_000 + rounds * steps.length * 30_000,
);

/** Where the account's webhook events go. */
const eventsOf = (gateway: Gateway): string => `/events-${gateway.port}`;

/** One campaign, and what the world outside has seen of it. */
class Life {
  private readonly gateway: Gateway;
  private readonly campaigns: Campaigns;
  private readonly account: Account;
  private readonly numbers = Array.from({ length: people }, (_, index) =>
    index % 10 === 3 ? simulated("991001") : freshNumber(),
  );
  private path = "";
  private id = "";
  private creditBefore = 0;

  private constructor(gateway: Gateway, campaigns: Campaigns, account: Account) {
    this.gateway = gateway;
    this.campaigns = campaigns;
    this.account = account;
  }

  static async begin(
    gateway: Gateway,
    campaigns: Campaigns,
    account: Account,
    senders: string[],
  ): Promise<Life> {
    const life = new Life(gateway, campaigns, account);
    life.path = `/of-${life.numbers[0]}`;
    life.creditBefore = await life.credit();
    life.id = await campaigns.create(senders, { callback: sink.url(life.path) });
    return life;
  }

  async upload(): Promise<void> {
    const mistakes = Array.from({ length: refused }, (_, index) =>
      index % 2 ? `tidak ada,${index}` : `${this.numbers[index]},${index}`,
    );
    const rows = [...this.numbers.map((number) => `${number},Ani`), ...mistakes];
    await this.campaigns.upload(this.id, `nomor,nama\n${rows.join("\n")}\n`);
  }

  act(what: string): Promise<Json> {
    return this.campaigns.act(this.id, what);
  }

  async run(): Promise<void> {
    await this.upload();
    await this.act("start");
  }

  /** Until so many callbacks have come. */
  async runUntil(count: number): Promise<void> {
    const told = new Promise<void>((resolve) => {
      sink.on(this.path, (attempt) => {
        if (attempt >= count) resolve();
        return { status: 200 };
      });
    });
    await this.run();
    await told;
  }

  /** After a crash: does what its owner would do, until it has ended. */
  async complete({ name, end = "finished" }: Step): Promise<void> {
    const { state, counts } = await this.campaigns.show(this.id);
    if (state === "draft") {
      expect([0, people + refused], `rows after a crash at ${name}`).toContain(counts.total);
      if (counts.total === 0) await this.upload();
      await this.act("start");
    } else if (state === "paused") {
      await this.act("resume");
    }
    if (end === "cancelled") await this.act("cancel");
    await this.campaigns.until(this.id, end, 60_000);
    await waitFor("its last recipient to end", async () => {
      const { counts: now } = await this.campaigns.show(this.id);
      return now.pending + now.queued === 0;
    });
  }

  async expectExact(step: string): Promise<Json> {
    const shown = await this.campaigns.show(this.id);
    const rows = await this.campaigns.rows(this.id);
    expect(rows.map(({ row }) => row)).toEqual(rows.map((_, index) => index + 1));
    expect(rows).toHaveLength(people + refused);
    for (const state of states) {
      const found = rows.filter((row) => row.state === state).length;
      expect(shown.counts[state], `${state} after a crash at ${step}`).toBe(found);
    }
    expect(shown.counts).toMatchObject({ total: people + refused, skipped: refused });
    this.expectSentAsShown(rows, step);
    await this.expectTold(rows, step);
    const { sent, uncertain } = shown.counts;
    expect(this.creditBefore - (await this.credit()), step).toBe(sent + uncertain);
    return shown;
  }

  /** Whom the platform has written to, and how often. */
  private expectSentAsShown(rows: Row[], step: string): void {
    const times = new Map<string, number>();
    const own = new Set(this.numbers);
    for (const { to, result } of this.gateway.simulator.all()) {
      if (result === "sent" && own.has(to)) times.set(to, (times.get(to) ?? 0) + 1);
    }
    const wrong = rows.filter(({ state, number }) => {
      const sends = times.get(number ?? "") ?? 0;
      if (state === "skipped") return false; // An earlier row has its number, or it has none.
      if (state === "uncertain") return sends > 1;
      return sends !== (state === "sent" ? 1 : 0);
    });
    expect(wrong, `sends after a crash at ${step}`).toEqual([]);
  }

  /** Each message that has ended is called back with its state, and no other. */
  private async expectTold(rows: Row[], step: string): Promise<void> {
    const ended = rows.filter(({ state }) => state === "sent" || state === "failed");
    const told = () =>
      new Map(sink.at(this.path).map(({ json }) => [json.requestId as string, json.status]));
    await waitFor(`callbacks after a crash at ${step}`, () => told().size >= ended.length, 30_000);
    const statuses = ended.map(({ message, state }): [string | null, string] => [message, state]);
    expect(told()).toEqual(new Map(statuses));
    const finished = () =>
      sink
        .at(eventsOf(this.gateway))
        .filter(({ json }) => json.event === "campaign.finished" && json.data.id === this.id);
    await waitFor("the webhook event of its end", () => finished().length > 0);
    const ids = new Set(finished().map(({ headers }) => headers["webhook-id"]));
    expect(ids.size, `events of its end after a crash at ${step}`).toBe(1);
  }

  private async credit(): Promise<number> {
    return (await this.gateway.json("account", "show", this.account.id)).credit;
  }
}

async function expectBooksAgree(gateway: Gateway): Promise<void> {
  const { stdout } = await gateway.cli("doctor", "--json");
  const findings: Json[] = JSON.parse(stdout).findings;
  const books = findings.filter(({ subject }) => subject === "credit" || subject === "campaigns");
  expect(
    books.map(({ verdict }) => verdict),
    stdout,
  ).toEqual(["good", "good"]);
}

function passIfCutOff(error: unknown): void {
  if (!isConnectionLoss(error)) throw error;
}
