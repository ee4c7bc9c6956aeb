// A PostgreSQL server of the tests' own, reached through a Unix socket, and databases in servers.
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { confined, confinedFolder, give } from "./confined.ts";
import { DatabaseSession } from "./database_session.ts";
import { waitFor, within } from "./wait.ts";

/** Whether the suite's gateways have their stores in PostgreSQL: MERPATI_TEST_STORE=postgresql. */
export const onPostgres = process.env["MERPATI_TEST_STORE"] === "postgresql";

const variable = "MERPATI_TEST_SERVER"; // The folder of the suite's server.
const versions = "/usr/lib/postgresql"; // Debian has a folder for each version.
export const role = "merpati";

/** The programs of the newest version that is installed. */
export function programs(): string {
  const found = (existsSync(versions) ? readdirSync(versions) : [])
    .filter((version) => existsSync(join(versions, version, "bin/initdb")))
    .sort((one, other) => Number(other) - Number(one));
  if (!found[0]) throw new Error("PostgreSQL is not installed: apt-get install postgresql");
  return join(versions, found[0], "bin");
}

/** Where a server, or what is before it, listens: the folder of a socket, or a local port. */
export type Place = string | number;

/** One database, for one gateway. */
export class Database {
  readonly url: string;
  private readonly place: () => Place;
  private readonly name: string;

  /** `place`: where the tests themselves find it. */
  constructor(place: () => Place, name: string, url = urlOf(name, place())) {
    this.place = place;
    this.name = name;
    this.url = url;
  }

  /** The same database, as gateways find it at that place, or at the one of several that writes. */
  behind(...places: Place[]): Database {
    return new Database(this.place, this.name, urlOf(this.name, ...places));
  }

  /** A connection, until the test closes it. */
  connect(): Promise<DatabaseSession> {
    return DatabaseSession.open(addressOf(this.place()), role, this.name);
  }

  /** Runs SQL; returns the rows, with columns separated by "|". */
  sql(statement: string): string[] {
    return run(this.place(), this.name, statement);
  }

  /** As `sql`, while this process goes on. */
  async query(statement: string): Promise<string[]> {
    const session = await this.connect();
    try {
      return await session.run(statement);
    } finally {
      session.close();
    }
  }

  /** The files of its tables, as they are on the disk. */
  files(): string[] {
    const [oid] = this.sql(`SELECT oid FROM pg_database WHERE datname = '${this.name}'`);
    const [data] = this.sql("SHOW data_directory");
    this.sql("CHECKPOINT");
    const folder = join(data!, "base", oid!);
    return readdirSync(folder).map((name) => join(folder, name));
  }

  drop(): void {
    run(this.place(), "postgres", `DROP DATABASE IF EXISTS ${this.name} WITH (FORCE)`);
  }
}

/** Of several places, which are ports, the one is used that accepts writes. */
function urlOf(name: string, ...places: Place[]): string {
  const [first] = places;
  if (typeof first === "string") return `postgresql://${role}@/${name}?host=${first}`;
  const hosts = places.map((port) => `127.0.0.1:${port}`);
  return `postgresql://${role}@${hosts.join(",")}/${name}`;
}

export const addressOf = (place: Place): Place =>
  typeof place === "string" ? join(place, ".s.PGSQL.5432") : place;

function run(place: Place, database: string, statement: string): string[] {
  const server = typeof place === "string" ? ["-h", place] : ["-h", "127.0.0.1", "-p", `${place}`];
  const options = ["-qAtX", "-v", "ON_ERROR_STOP=1", ...server, "-U", role, "-d", database];
  const quietly = ["-c", "SET client_min_messages = warning"]; // "… does not exist, skipping"
  const output = execFileSync(
    join(programs(), "psql"),
    [...options, ...quietly, "-c", statement],
    { encoding: "utf8" },
  );
  return output.split("\n").filter(Boolean);
}

let databases = 0;

/** A new database in the server at that place. */
export function createDatabase(place: () => Place): Database {
  const name = `gateway_${process.pid}_${++databases}`;
  run(place(), "postgres", `CREATE DATABASE ${name}`);
  return new Database(place, name);
}

/** A database in the suite's server. */
export function suiteDatabase(): Database {
  const folder = process.env[variable];
  if (!folder) throw new Error("support/global.ts did not start PostgreSQL");
  return createDatabase(() => folder);
}

export class PostgresServer {
  readonly folder = confinedFolder();
  readonly socket = join(this.folder, ".s.PGSQL.5432");
  private readonly data = join(this.folder, "data");
  private readonly connectionsMax: number;
  private process: ChildProcess | undefined;

  private constructor(connectionsMax: number) {
    this.connectionsMax = connectionsMax;
  }

  /** A server, running. */
  static async open({ connectionsMax = 300 } = {}): Promise<PostgresServer> {
    const server = new PostgresServer(connectionsMax);
    server.initialize();
    await server.start();
    return server;
  }

  /** Makes it the server of `suiteDatabase`, in this process and in those that it starts. */
  serveSuite(): void {
    process.env[variable] = this.folder;
  }

  createDatabase(): Database {
    return createDatabase(() => this.folder);
  }

  async start(): Promise<void> {
    const settings = [
      "listen_addresses=",
      "full_page_writes=off",
      "shared_buffers=64MB",
      `max_connections=${this.connectionsMax}`,
      "max_wal_size=256MB",
    ].flatMap((setting) => ["-c", setting]);
    const args = ["-D", this.data, "-k", this.folder, ...settings];
    const log = openSync(join(this.folder, "server.log"), "a");
    const child = spawn(...confined(join(programs(), "postgres"), args), {
      stdio: ["ignore", log, log],
    });
    this.process = child;
    await waitFor("PostgreSQL to start", () => this.isReady(child), 60_000);
  }

  /** Ends it as a power cut would, or after all sessions were told. */
  async stop(how: "immediately" | "politely" = "politely"): Promise<void> {
    const child = this.process;
    if (!child) return;
    const ended = new Promise((resolve) => child.on("exit", resolve));
    child.kill(how === "immediately" ? "SIGQUIT" : "SIGINT");
    await within("PostgreSQL to stop", ended, 60_000);
    this.process = undefined;
  }

  async close(): Promise<void> {
    await this.stop("immediately");
    rmSync(this.folder, { recursive: true, force: true });
  }

  private initialize(): void {
    mkdirSync(this.data, { mode: 0o700 });
    give(this.data);
    const locale = ["--encoding=UTF8", "--locale=C", "--locale-provider=icu", "--icu-locale=id"];
    const args = [`--username=${role}`, "--auth=trust", "--no-sync", "--no-instructions"];
    const all = ["--pgdata", this.data, ...args, ...locale];
    execFileSync(...confined(join(programs(), "initdb"), all), { stdio: "pipe" });
  }

  /** The server writes this word into the last line of the file when it accepts connections. */
  private isReady(child: ChildProcess): boolean {
    if (child.exitCode !== null) {
      throw new Error(`PostgreSQL ended:\n${readFileSync(join(this.folder, "server.log"))}`);
    }
    const file = join(this.data, "postmaster.pid");
    return existsSync(file) && readFileSync(file, "utf8").includes("\nready");
  }
}
