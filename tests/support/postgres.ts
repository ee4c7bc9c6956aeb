// A PostgreSQL server of the tests' own, reached through a Unix socket, and databases in it.
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSession } from "./database_session.ts";
import { waitFor, within } from "./wait.ts";

/** Whether the suite's gateways have their stores in PostgreSQL: MERPATI_TEST_STORE=postgresql. */
export const onPostgres = process.env["MERPATI_TEST_STORE"] === "postgresql";

const variable = "MERPATI_TEST_SERVER"; // The folder of the suite's server.
const versions = "/usr/lib/postgresql"; // Debian has a folder for each version.
const role = "merpati";
const roomMin = 2 * 1024 ** 3;

/** The programs of the newest version that is installed. */
function programs(): string {
  const found = (existsSync(versions) ? readdirSync(versions) : [])
    .filter((version) => existsSync(join(versions, version, "bin/initdb")))
    .sort((one, other) => Number(other) - Number(one));
  if (!found[0]) throw new Error("PostgreSQL is not installed: apt-get install postgresql");
  return join(versions, found[0], "bin");
}

/** Whom root runs the server as, because PostgreSQL refuses to run as root. */
function otherUser(): { uid: number; gid: number } {
  const id = (flag: string, name: string) =>
    Number(execFileSync("id", [flag, name], { encoding: "utf8", stdio: "pipe" }));
  for (const name of ["postgres", "nobody"]) {
    try {
      return { uid: id("-u", name), gid: id("-g", name) };
    } catch {
      continue;
    }
  }
  throw new Error("there is no user to run PostgreSQL as");
}

/** A command that runs as a user who is not root, and ends with this process. */
function confined(program: string, args: string[]): [string, string[]] {
  const end = ["--pdeathsig", "QUIT"];
  if (process.getuid?.() !== 0) return ["setpriv", [...end, program, ...args]];
  const { uid, gid } = otherUser();
  const as = ["--reuid", `${uid}`, "--regid", `${gid}`, "--clear-groups"];
  return ["setpriv", [...as, ...end, program, ...args]];
}

/** In memory where there is room: the server syncs its files, as gateways demand. */
function newFolder(): string {
  const memory = "/dev/shm";
  const room = existsSync(memory) ? statfsSync(memory) : { bavail: 0, bsize: 0 };
  const parent = room.bavail * room.bsize >= roomMin ? memory : tmpdir();
  return mkdtempSync(join(parent, "merpati-pg-"));
}

/** One database, for one gateway. */
export class Database {
  readonly url: string;
  private readonly folder: string;
  private readonly name: string;

  constructor(folder: string, name: string) {
    this.folder = folder;
    this.name = name;
    this.url = `postgresql://${role}@/${name}?host=${folder}`;
  }

  /** The same database, as a proxy on that port of this machine shows it. */
  behind(port: number): Database {
    const url = `postgresql://${role}@127.0.0.1:${port}/${this.name}`;
    return Object.assign(new Database(this.folder, this.name), { url });
  }

  /** A connection, until the test closes it. */
  connect(): Promise<DatabaseSession> {
    return DatabaseSession.open(socketIn(this.folder), role, this.name);
  }

  /** Runs SQL; returns the rows, with columns separated by "|". */
  sql(statement: string): string[] {
    return run(this.folder, this.name, statement);
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
    this.sql("CHECKPOINT");
    const folder = join(this.folder, "data", "base", oid!);
    return readdirSync(folder).map((name) => join(folder, name));
  }

  drop(): void {
    run(this.folder, "postgres", `DROP DATABASE IF EXISTS ${this.name} WITH (FORCE)`);
  }
}

/** Where the server of this folder listens. */
const socketIn = (folder: string) => join(folder, ".s.PGSQL.5432");

function run(folder: string, database: string, statement: string): string[] {
  const options = ["-qAtX", "-v", "ON_ERROR_STOP=1", "-h", folder, "-U", role, "-d", database];
  const quietly = ["-c", "SET client_min_messages = warning"]; // "… does not exist, skipping"
  const output = execFileSync(
    join(programs(), "psql"),
    [...options, ...quietly, "-c", statement],
    { encoding: "utf8" },
  );
  return output.split("\n").filter(Boolean);
}

let databases = 0;

function createDatabase(folder: string): Database {
  const name = `gateway_${process.pid}_${++databases}`;
  run(folder, "postgres", `CREATE DATABASE ${name}`);
  return new Database(folder, name);
}

/** A database in the suite's server. */
export function suiteDatabase(): Database {
  const folder = process.env[variable];
  if (!folder) throw new Error("support/global.ts did not start PostgreSQL");
  return createDatabase(folder);
}

export class PostgresServer {
  readonly folder = newFolder();
  readonly socket = socketIn(this.folder);
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
    return createDatabase(this.folder);
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
    if (process.getuid?.() === 0) {
      const { uid, gid } = otherUser();
      for (const folder of [this.folder, this.data]) chownSync(folder, uid, gid);
    }
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
