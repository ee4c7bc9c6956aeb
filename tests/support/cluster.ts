// Gateways that share a database, as its nodes, and one account on them.
import { Account, shop } from "./account.ts";
import type { Callers } from "./callers.ts";
import { Gateway, type Settings } from "./gateway.ts";
import type { LedgerTotals } from "./ledger.ts";
import type { Database } from "./postgres.ts";
import type { Attempt } from "./simulator.ts";
import type { Sink } from "./sink.ts";
import { waitFor } from "./wait.ts";

/** The shortest that can be set, in milliseconds. */
export const lease = 6_000;

/** How long the accounts of a node that is gone may be served by nobody. */
export const takeover = lease + 5_000;

/** A server of PostgreSQL, several, or what is before them. */
export interface Databases {
  createDatabase(): Database;
}

export interface ClusterOptions {
  nodes?: string[]; // Their names; the first works for the account at first.
  port?: number; // Where the first finds a proxy before the database.
  devices?: number;
  scopes?: string; // Of the account's key.
  settings?: Settings;
  environments?: Record<string, Record<string, string>>; // Of nodes, by their names.
}

/** The same account, as another node serves it. */
export function servedBy(gateway: Gateway, account: Account): Account {
  const seen = new Account(gateway, account.id, account.webhookSecret);
  return Object.assign(seen, { key: account.key });
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
    // With this setting it also answers, by way of the node that works.
    if (this.settings["cluster.listen"]) await waitFor("an answer", () => gateway.isReady());
  }

  /** The account, as this node serves it. */
  accountAt(gateway: Gateway): Account {
    return this.accounts.get(gateway)!;
  }

  /** The node that works for the account; undefined: none does. */
  async owner(): Promise<Gateway | undefined> {
    const [name] = await this.database.query(
      "SELECT n.name FROM account a JOIN shard s ON s.id = a.shard JOIN node n ON n.id = s.node",
    );
    return this.gateways.find((gateway) => this.names.get(gateway) === name);
  }

  /** Waits until another node than this one works for the account. */
  successorOf(gateway: Gateway): Promise<Gateway> {
    return waitFor(
      "another node to work",
      async () => {
        const owner = await this.owner();
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
    const is = `name = '${this.names.get(gateway)}' AND state = 'live'`;
    const [life] = await this.database.query(`SELECT generation FROM node WHERE ${is}`);
    return Number(life ?? 0);
  }
}
