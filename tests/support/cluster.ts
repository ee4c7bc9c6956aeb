// Gateways that share a database, as its nodes, and accounts on them.
import { Account, type KeyFlags, shop } from "./account.ts";
import type { Callers } from "./callers.ts";
import { type AccountFlags, Gateway, type Settings } from "./gateway.ts";
import type { LedgerTotals } from "./ledger.ts";
import type { Database } from "./postgres.ts";
import type { Attempt } from "./simulator.ts";
import type { Sink } from "./sink.ts";
import { waitFor } from "./wait.ts";

/** In milliseconds. Shorter ones can be set, but a busy machine would miss them. */
export const lease = 6_000;

/** How long the accounts of a node that is gone may be served by nobody. */
export const takeover = lease + 5_000;

/** How long a node waits for its part, if others have theirs (src/cluster/placement.hpp). */
export const probation = 60_000;

/** All accounts belong to these parts. */
export const shardCount = 256;

/** With this a node answers everything, and several work at once. */
export const listens: Settings = { "cluster.listen": "127.0.0.1:0" };

/** A server of PostgreSQL, several, or what is before them. */
export interface Databases {
  createDatabase(): Database;
}

export interface ClusterOptions {
  nodes?: string[]; // Their names; the first works for all accounts at first.
  port?: number; // Where the first finds a proxy before the database.
  devices?: number;
  scopes?: string; // Of the account's key.
  settings?: Settings;
  environments?: Record<string, Record<string, string>>; // Of nodes, by their names.
}

/** An account that one node works for, with devices that are connected. */
export interface Shop {
  account: Account;
  devices: string[];
}

export interface ShopOptions {
  devices?: number;
  flags?: AccountFlags;
  key?: KeyFlags;
}

/** The same account, as another node serves it. */
export function servedBy(gateway: Gateway, account: Account): Account {
  const seen = new Account(gateway, account.id, account.webhookSecret);
  return Object.assign(seen, { key: account.key, keyId: account.keyId });
}

/** The nodes as one of them lists them: of each its state and how many accounts it works for. */
export async function states(gateway: Gateway): Promise<Record<string, [string, number]>> {
  const nodes: any[] = await gateway.json("node", "list");
  return Object.fromEntries(nodes.map((node) => [node.name, [node.state, node.accounts]]));
}

export class Cluster {
  readonly gateways: Gateway[] = [];
  readonly devices: string[] = [];
  readonly database: Database;
  private readonly names = new Map<Gateway, string>();
  private readonly accounts = new Map<Gateway, Account>(); // The same, as each node serves it.
  private readonly settings: Settings;
  private readonly environments: Record<string, Record<string, string>>;

  private constructor(database: Database, options: ClusterOptions) {
    this.database = database;
    this.settings = {
      "cluster.lease": `${lease}ms`,
      "outbound.allow_http_callbacks": true,
      "log.level": "info",
      ...options.settings,
    };
    this.environments = options.environments ?? {};
  }

  /** All nodes have joined, and the first works. */
  static async open(server: Databases, options: ClusterOptions = {}): Promise<Cluster> {
    const cluster = new Cluster(server.createDatabase(), options);
    const [name = "first", ...others] = options.nodes ?? ["first", "second"];
    const first = await cluster.create(name, options.port);
    await first.start();
    const key = options.scopes ? { scopes: options.scopes } : {};
    const { account, device } = await shop(first, {}, key);
    cluster.devices.push(device);
    while (cluster.devices.length < (options.devices ?? 1)) {
      cluster.devices.push(await account.device());
    }
    cluster.accounts.set(first, account);
    for (const other of others) await cluster.add(other);
    return cluster;
  }

  /** All nodes have joined, answer everything, and work for equal parts of the accounts. */
  static async share(server: Databases, options: ClusterOptions = {}): Promise<Cluster> {
    const settings = { ...listens, ...options.settings };
    const cluster = await Cluster.open(server, { ...options, settings });
    await cluster.share();
    return cluster;
  }

  /**
   * Waits until the nodes that run work for equal parts. They need not wait for their parts: the
   * database is told that they have joined a minute earlier.
   */
  async share(): Promise<void> {
    await this.database.query(
      `UPDATE node SET joined_at = joined_at - ${probation} WHERE state = 'live'`,
    );
    await this.untilShared();
  }

  /** Waits until the nodes that run work for equal parts. */
  async untilShared(deadline = 60_000): Promise<void> {
    const running = this.gateways.filter((gateway) => gateway.running);
    const part = Math.floor(shardCount / running.length);
    await waitFor(
      "every node to have its part",
      async () => {
        const shards = await this.shards();
        return running.every((gateway) => (shards.get(gateway) ?? 0) >= part);
      },
      deadline,
    );
  }

  /** How many of the shards each node owns; those without any are left out. */
  async shards(): Promise<Map<Gateway, number>> {
    const rows = await this.database.query(
      "SELECT n.name, count(*) FROM shard s JOIN node n ON n.id = s.node GROUP BY n.name",
    );
    const owned = new Map(rows.map((row) => row.split("|") as [string, string]));
    return new Map(
      this.gateways.flatMap((gateway) => {
        const count = owned.get(this.nameOf(gateway));
        return count === undefined ? [] : [[gateway, Number(count)] as const];
      }),
    );
  }

  /** A new account that this node works for. */
  async shopAt(gateway: Gateway, options: ShopOptions = {}): Promise<Shop> {
    const { devices = 1, flags = {}, key = {} } = options;
    for (let attempt = 0; attempt < shardCount; attempt += 1) {
      const account = await gateway.account(flags);
      if ((await this.ownerOf(account)) !== gateway) continue; // Its shard is another node's.
      await account.createKey(key);
      const numbers: string[] = [];
      while (numbers.length < devices) numbers.push(await account.device());
      return { account, devices: numbers };
    }
    throw new Error(`${this.nameOf(gateway)} works for none of ${shardCount} new accounts`);
  }

  /** One more node, which has joined. */
  async add(name: string): Promise<Gateway> {
    const gateway = await this.create(name);
    await this.start(gateway);
    return gateway;
  }

  /** A node that does not run. */
  async create(name: string, port?: number): Promise<Gateway> {
    const key = this.gateways[0] && { "store.key_file": this.gateways[0].own(".key") };
    const gateway = await Gateway.create({
      database: port === undefined ? this.database : this.database.behind(port),
      settings: { ...this.settings, ...key, "cluster.node": name },
      environment: this.environments[name],
      start: false,
    });
    this.gateways.push(gateway);
    this.names.set(gateway, name);
    const [account] = this.accounts.values();
    if (account) this.accounts.set(gateway, servedBy(gateway, account));
    return gateway;
  }

  /** Starts a node; it need not work for the account. */
  async start(gateway: Gateway): Promise<void> {
    const life = await this.generationOf(gateway);
    const child = gateway.launch();
    await waitFor("a node to join", async () => {
      if (child.exitCode !== null) throw new Error(`the node has ended:\n${gateway.log}`);
      return (await this.generationOf(gateway)) > life;
    });
    // With this setting it also answers, whoever works.
    if (this.settings["cluster.listen"]) await waitFor("an answer", () => gateway.isReady());
  }

  nameOf(gateway: Gateway): string {
    return this.names.get(gateway)!;
  }

  /** The first account, as this node serves it. */
  accountAt(gateway: Gateway): Account {
    return this.accounts.get(gateway)!;
  }

  /** The node that works for the first account; undefined: none does. */
  owner(): Promise<Gateway | undefined> {
    const [first] = this.accounts.values();
    return this.ownerOf(first!);
  }

  /** The node that works for an account; undefined: none does. */
  async ownerOf(account: Account): Promise<Gateway | undefined> {
    const number = account.id.replace("acc_", "");
    const [name] = await this.database.query(
      "SELECT n.name FROM account a JOIN shard s ON s.id = a.shard JOIN node n ON n.id = s.node " +
        `WHERE a.id = ${number}`,
    );
    return this.gateways.find((gateway) => this.nameOf(gateway) === name);
  }

  /** Waits until another node than this one works for the account: the first one, unless given. */
  successorOf(gateway: Gateway, account = this.accountAt(gateway)): Promise<Gateway> {
    return waitFor(
      "another node to work",
      async () => {
        const owner = await this.ownerOf(account);
        return owner === gateway ? undefined : owner;
      },
      takeover + 10_000,
    );
  }

  /** What reached the platform, by way of any node. */
  attempts(): Attempt[] {
    return this.gateways.flatMap((gateway) => gateway.simulator.all());
  }

  /** Compares what callers, platform, store and receiver know, when all callbacks have arrived. */
  async totals(callers: Callers, sink: Sink, path: string): Promise<LedgerTotals> {
    await sink.untilTold(path, callers.ledger.accepted);
    const owner = await this.owner();
    const stored = await owner!.json("message", "list", "--limit", "10000000");
    const told = sink.at(path).map((received) => received.json);
    const totals = callers.ledger.totals(this.attempts(), stored, told);
    const pause = Math.round(callers.longestPause());
    console.log(`${path}: ${JSON.stringify(totals)}, longest pause ${pause} ms`);
    return totals;
  }

  /** Ends all nodes; those that run must end as they should. */
  async close(): Promise<void> {
    for (const gateway of this.gateways.toReversed()) {
      if (gateway.running) await gateway.close();
      else await gateway.abandon();
    }
  }

  private async generationOf(gateway: Gateway): Promise<number> {
    const is = `name = '${this.nameOf(gateway)}' AND state = 'live'`;
    const [life] = await this.database.query(`SELECT generation FROM node WHERE ${is}`);
    return Number(life ?? 0);
  }
}
