// Three servers of PostgreSQL that Patroni keeps as one cluster in synchronous mode, with etcd, all
// on this machine and in folders of their own.
import { spawn, type ChildProcess } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { confined, confinedFolder, give } from "./confined.ts";
import { DatabaseSession } from "./database_session.ts";
import { freePort } from "./gateway.ts";
import { exchange } from "./http.ts";
import { createDatabase, programs, role, type Database } from "./postgres.ts";
import { waitFor, within } from "./wait.ts";

const [patroni, etcd] = ["/usr/bin/patroni", "/usr/bin/etcd"];
const names = ["one", "two", "three"] as const;

/** Seconds after which a primary that is gone may be followed: the least that Patroni permits. */
const ttl = 20;

/** Why there can be none here; "": there can. */
export const patroniMissing = [patroni, etcd].every((program) => existsSync(program))
  ? ""
  : "Patroni or etcd is not installed: apt-get install patroni etcd-server";

/** One server and its Patroni. */
export class Member {
  readonly name: string;
  readonly port: number;
  readonly api: number; // The port of Patroni's own API.
  private readonly folder: string;
  private process: ChildProcess | undefined;

  constructor(name: string, folder: string, ports: [number, number]) {
    this.name = name;
    this.folder = folder;
    this.port = ports[0];
    this.api = ports[1];
  }

  start(settings: object): void {
    const file = join(this.folder, `${this.name}.yml`);
    writeFileSync(file, JSON.stringify(settings)); // YAML reads JSON.
    const log = openSync(join(this.folder, `${this.name}.log`), "a");
    // Upon SIGTERM Patroni stops its server, which is no child of its.
    this.process = spawn(...confined(patroni, [file], "TERM"), {
      stdio: ["ignore", log, log],
      cwd: this.folder, // Its user may not enter the checkout's.
      env: { PATH: process.env["PATH"], HOME: this.folder, TMPDIR: this.folder },
    });
  }

  /** From now on nobody looks after its server. */
  async killPatroni(): Promise<void> {
    const child = this.process;
    this.process = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.on("exit", resolve));
    child.kill("SIGKILL");
    await within("Patroni to end", ended);
  }

  /** Ends Patroni and the server as the loss of their machine does. */
  async kill(): Promise<void> {
    const server = this.serverPid;
    await this.killPatroni();
    for (const pid of server ? [server, ...childrenOf(server)] : []) {
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        continue; // It has ended with the others.
      }
    }
  }

  get data(): string {
    return join(this.folder, this.name);
  }

  get log(): string {
    const file = join(this.folder, `${this.name}.log`);
    return existsSync(file) ? readFileSync(file, "utf8") : "";
  }

  /** Whether Patroni has ended by itself. */
  get hasEnded(): boolean {
    return this.process !== undefined && this.process.exitCode !== null;
  }

  /** A connection to the server, until the test closes it. */
  connect(): Promise<DatabaseSession> {
    return DatabaseSession.open(this.port, role, "postgres");
  }

  /** 0: the server does not run. */
  private get serverPid(): number {
    try {
      const pid = Number(readFileSync(join(this.data, "postmaster.pid"), "utf8").split("\n")[0]);
      return readlinkSync(`/proc/${pid}/cwd`) === this.data ? pid : 0;
    } catch {
      return 0;
    }
  }
}

function childrenOf(pid: number): number[] {
  const list = `/proc/${pid}/task/${pid}/children`;
  if (!existsSync(list)) return [];
  return readFileSync(list, "utf8").trim().split(" ").filter(Boolean).map(Number);
}

interface Role {
  name: string;
  role: string; // "leader", "sync_standby", "replica"
}

export class PatroniCluster {
  readonly members: Member[] = [];
  primary!: Member; // Where the tests' own connections go.
  private readonly folder = confinedFolder();
  private etcd: ChildProcess | undefined;

  /** Three members: a primary, one that has all commits, and one more. */
  static async open(): Promise<PatroniCluster> {
    const cluster = new PatroniCluster();
    try {
      await cluster.start();
    } catch (error) {
      const logs = cluster.members.map((member) => `${member.name}:\n${member.log}`).join("\n");
      await cluster.close();
      throw new Error(`Patroni does not start: ${error}\n${logs}`);
    }
    return cluster;
  }

  createDatabase(): Database {
    const made = createDatabase(() => this.primary.port);
    return made.behind(...this.members.map((member) => member.port));
  }

  /** Waits until one of the members is the primary, which the tests use from now on. */
  async untilOneLeads(): Promise<void> {
    const find = async () => {
      for (const member of this.members) {
        if (member.hasEnded) throw new Error(`the Patroni of ${member.name} has ended`);
        if ((await get(member.api, "/primary")) !== undefined) return member;
      }
      return undefined;
    };
    this.primary = await waitFor("a primary", find, 2 * ttl * 1_000);
  }

  /** Waits until a standby gets each commit before it is acknowledged; resolves with it. */
  async untilSynchronous(): Promise<Member> {
    const find = async () => {
      const roles = await this.roles();
      const standby = roles.find((one) => one.role === "sync_standby");
      return this.members.find((member) => member.name === standby?.name);
    };
    return waitFor("a synchronous standby", find, 45_000);
  }

  async close(): Promise<void> {
    await Promise.all(this.members.map((member) => member.kill()));
    this.etcd?.kill("SIGKILL");
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }

  private async start(): Promise<void> {
    const [port, peers] = [await freePort(), await freePort()];
    this.startEtcd(port, peers);
    await waitFor("etcd", async () => (await get(port, "/health"))?.includes("true"), 30_000);
    for (const name of names) {
      const ports: [number, number] = [await freePort(), await freePort()];
      this.members.push(new Member(name, this.folder, ports));
    }
    for (const member of this.members) member.start(this.settingsOf(member, port));
    await this.untilOneLeads();
    await this.untilSynchronous();
  }

  private startEtcd(port: number, peers: number): void {
    const data = join(this.folder, "etcd");
    mkdirSync(data, { mode: 0o700 });
    give(data);
    const [client, peer] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${peers}`];
    const args = Object.entries({
      "data-dir": data,
      "listen-client-urls": client,
      "advertise-client-urls": client,
      "listen-peer-urls": peer,
      "initial-advertise-peer-urls": peer,
      "initial-cluster": `default=${peer}`,
    }).flatMap(([name, value]) => [`--${name}`, value]);
    const log = openSync(join(this.folder, "etcd.log"), "a");
    this.etcd = spawn(...confined(etcd, args, "TERM"), {
      stdio: ["ignore", log, log],
      env: { PATH: process.env["PATH"] },
    });
  }

  private settingsOf(member: Member, etcdPort: number): object {
    const api = `127.0.0.1:${member.api}`;
    const server = `127.0.0.1:${member.port}`;
    return {
      scope: "merpati",
      name: member.name,
      restapi: { listen: api, connect_address: api },
      etcd3: { host: `127.0.0.1:${etcdPort}` },
      bootstrap: {
        dcs: {
          ttl,
          loop_wait: 2,
          retry_timeout: 9, // Twice this and loop_wait are no more than ttl.
          synchronous_mode: true,
          postgresql: {
            use_pg_rewind: true, // A standby may be ahead of the one that is promoted.
            parameters: {
              shared_buffers: "64MB",
              max_connections: 100,
              max_wal_size: "256MB",
            },
          },
        },
        initdb: [{ encoding: "UTF8" }, { locale: "C" }, { auth: "trust" }],
      },
      postgresql: {
        listen: server,
        connect_address: server,
        data_dir: member.data,
        bin_dir: programs(),
        remove_data_directory_on_diverged_timelines: true,
        remove_data_directory_on_rewind_failure: true,
        pgpass: join(this.folder, `${member.name}.pgpass`),
        authentication: {
          superuser: { username: role, password: "merpati" },
          replication: { username: "standby", password: "standby" },
        },
        basebackup: [{ checkpoint: "fast" }],
        pg_hba: ["host all all 127.0.0.1/32 trust", "host replication all 127.0.0.1/32 trust"],
        parameters: { unix_socket_directories: "" },
      },
    };
  }

  private async roles(): Promise<Role[]> {
    const text = await get(this.primary.api, "/cluster");
    return text ? (JSON.parse(text).members as Role[]) : [];
  }
}

/** The body of an answer 200; undefined: there is none. */
async function get(port: number, path: string): Promise<string | undefined> {
  try {
    const url = `http://127.0.0.1:${port}${path}`;
    const answer = await exchange({ method: "GET", url, deadline: 2_000 });
    return answer.status === 200 ? answer.text : undefined;
  } catch {
    return undefined;
  }
}
