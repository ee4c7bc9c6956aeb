// PgBouncer in transaction mode, before a server of the tests' own.
import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { confined, confinedFolder } from "./confined.ts";
import { DatabaseSession } from "./database_session.ts";
import { addressOf, role, type Database, type PostgresServer } from "./postgres.ts";
import { waitFor, within } from "./wait.ts";

const program = "/usr/sbin/pgbouncer";

/** Why there can be none here; "": there can. */
export const poolerMissing = existsSync(program)
  ? ""
  : "pgbouncer is not installed: apt-get install pgbouncer";

export class Pooler {
  readonly folder = confinedFolder();
  private readonly server: PostgresServer;
  private process: ChildProcess | undefined;

  private constructor(server: PostgresServer) {
    this.server = server;
  }

  /** A pooler, running. */
  static async open(server: PostgresServer): Promise<Pooler> {
    const pooler = new Pooler(server);
    writeFileSync(join(pooler.folder, "users"), `"${role}" ""\n`);
    writeFileSync(join(pooler.folder, "pgbouncer.ini"), pooler.settings());
    await pooler.start();
    return pooler;
  }

  /** A database of the server, which gateways find here. */
  createDatabase(): Database {
    return this.server.createDatabase().behind(this.folder);
  }

  /** A client of the pooler, until the test closes it. */
  connect(): Promise<DatabaseSession> {
    return DatabaseSession.open(addressOf(this.folder), role, "postgres");
  }

  async start(): Promise<void> {
    const socket = join(this.folder, ".s.PGSQL.5432");
    rmSync(socket, { force: true });
    const log = openSync(join(this.folder, "pooler.log"), "a");
    const child = spawn(...confined(program, [join(this.folder, "pgbouncer.ini")]), {
      stdio: ["ignore", log, log],
    });
    this.process = child;
    await waitFor("the pooler to start", () => {
      if (child.exitCode !== null) {
        throw new Error(`pgbouncer ended:\n${readFileSync(join(this.folder, "pooler.log"))}`);
      }
      return existsSync(socket);
    });
  }

  /** Ends it: SIGKILL at once, SIGINT when the open transactions have ended. */
  async stop(signal: "SIGKILL" | "SIGINT"): Promise<void> {
    const child = this.process;
    if (!child) return;
    const ended = new Promise((resolve) => child.on("exit", resolve));
    child.kill(signal);
    await within("the pooler to stop", ended);
    this.process = undefined;
  }

  async close(): Promise<void> {
    await this.stop("SIGKILL");
    rmSync(this.folder, { recursive: true, force: true });
  }

  private settings(): string {
    return `[databases]
* = host=${this.server.folder} port=5432
[pgbouncer]
pool_mode = transaction
unix_socket_dir = ${this.folder}
listen_port = 5432
auth_type = trust
auth_file = ${join(this.folder, "users")}
server_login_retry = 1
`;
  }
}
