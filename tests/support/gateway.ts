// One gateway with its own store.
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { Account } from "./account.ts";
import { binary, command, environment, type CommandResult } from "./binary.ts";
import { check, type Answer } from "./contract.ts";
import { exchange, type HttpRequest } from "./http.ts";
import { CANARY } from "./numbers.ts";
import { onPostgres, suiteDatabase, type Database } from "./postgres.ts";
import { SimulatorLog } from "./simulator.ts";
import { waitFor, within } from "./wait.ts";

export type Settings = Record<string, string | number | boolean | string[]>;

export interface GatewayOptions {
  settings?: Settings;
  environment?: Record<string, string>;
  ca?: string; // PEM, if the gateway serves HTTPS.
  start?: boolean; // False: only the store and its configuration.
  database?: Database; // Of the test. Without it, the suite's engine is used.
}

export interface AccountFlags {
  plan?: "paid" | "trial" | "free";
  credits?: number;
  expires?: string;
  rate?: string; // Default: "none", because few tests are about the rate.
  callback?: string;
  delivery?: "at-least-once" | "at-most-once";
  "devices-max"?: number;
}

/** Gateways of this test file that are not closed; support/cleanup.ts ends them. */
export const open = new Set<Gateway>();

export class Gateway {
  readonly folder = mkdtempSync("/tmp/merpati-"); // Short: a Unix socket's path has 107 bytes.
  readonly config = join(this.folder, "merpati.toml");
  readonly simulator = new SimulatorLog(join(this.folder, "simulator.jsonl"));
  readonly secrets = new Set<string>(); // What no log may contain.
  port = 0;
  log = "";
  private readonly database: Database | undefined; // Undefined: the store is an SQLite file.
  private process: ChildProcess | undefined;
  private ended: Promise<number> = Promise.resolve(0);
  private readonly options: GatewayOptions;

  private constructor(options: GatewayOptions) {
    this.options = options;
    this.database = options.database ?? (onPostgres ? suiteDatabase() : undefined);
    open.add(this);
  }

  static async create(options: GatewayOptions = {}): Promise<Gateway> {
    const gateway = new Gateway(options);
    gateway.port = await freePort();
    gateway.configure({});
    if (options.start !== false) await gateway.start();
    return gateway;
  }

  /** Writes the configuration file, for the next start. */
  configure(settings: Settings): void {
    const all: Settings = {
      "http.listen": [`127.0.0.1:${this.port}`],
      ...this.storeSettings(),
      "simulator.log": this.simulator.file,
      "outbound.allow": ["127.0.0.0/8"],
      "log.level": "debug",
      "log.format": "json",
      ...this.options.settings,
      ...settings,
    };
    writeFileSync(this.config, toml(all));
  }

  private storeSettings(): Settings {
    if (!this.database) return { "store.url": `sqlite:${this.own("")}` };
    return {
      "store.url": this.database.url,
      "store.key_file": this.own(".key"),
      "store.folder": this.folder,
    };
  }

  /** The path of one of its own files: ".key", ".sock", "-media"; "" is the SQLite file. */
  own(ending: string): string {
    return join(this.folder, `merpati${this.database ? "" : ".db"}${ending}`);
  }

  /** Runs SQL on the stopped gateway's store; returns the rows, with columns separated by "|". */
  sql(statement: string): string[] {
    if (this.database) return this.database.sql(statement);
    const output = execFileSync("sqlite3", [this.own(""), statement], { encoding: "utf8" });
    return output.split("\n").filter(Boolean);
  }

  /** All bytes that the store has on its disk, as text. */
  stored(): string {
    const files = this.database?.files() ?? [this.own(""), this.own("-wal")];
    return files.map((file) => readFileSync(file, "latin1")).join("");
  }

  get url(): string {
    return `${this.options.ca ? "https" : "http"}://127.0.0.1:${this.port}`;
  }

  get pid(): number {
    return this.process?.pid ?? 0;
  }

  get running(): boolean {
    return this.process !== undefined;
  }

  async start(): Promise<void> {
    const child = this.launch();
    await waitFor(`the gateway to be ready\n${this.log}`, () => this.ready(child), 30_000);
  }

  /** Starts the gateway without waiting until it is ready. */
  launch(): ChildProcess {
    const child = spawn(binary, ["--config", this.config, "serve"], {
      env: environment(this.options.environment),
      cwd: this.folder,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const note = (piece: string) => (this.log += piece);
    child.stdout.setEncoding("utf8").on("data", note);
    child.stderr.setEncoding("utf8").on("data", note);
    this.process = child;
    this.ended = new Promise((resolve, reject) => {
      child.on("error", reject);
      child.on("close", (code) => {
        this.process = undefined;
        resolve(code ?? -1);
      });
    });
    return child;
  }

  private async ready(child: ChildProcess): Promise<boolean> {
    if (child.exitCode !== null || child.signalCode !== null) {
      throw new Error(`the gateway ended while starting:\n${this.log}`);
    }
    return this.isReady();
  }

  async isReady(): Promise<boolean> {
    try {
      const url = `${this.url}/readyz`;
      return (await exchange({ method: "GET", url, ca: this.options.ca })).status === 200;
    } catch {
      return false;
    }
  }

  /** Stops the gateway by a signal; resolves with the exit code. */
  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<number> {
    if (!this.process) return 0;
    this.process.kill(signal);
    return within("the gateway to stop", this.ended, 30_000);
  }

  /** Waits until the gateway ends by itself; resolves with the exit code. */
  exitCode(): Promise<number> {
    return within("the gateway to end", this.ended, 30_000);
  }

  /** Kills the gateway with SIGKILL. */
  async kill(): Promise<void> {
    this.process?.kill("SIGKILL");
    await within("the gateway to die", this.ended);
  }

  async restart(settings: Settings = {}): Promise<void> {
    const code = await this.stop();
    if (code !== 0) throw new Error(`the gateway ended with ${code}:\n${this.log}`);
    this.configure(settings);
    await this.start();
  }

  /** Kills the gateway and removes its folder, without checking exit code and log. */
  async abandon(): Promise<void> {
    await this.kill();
    this.remove();
  }

  /** Stops the test file's gateway, which must exit with 0 and have logged no secret. */
  async close(): Promise<void> {
    const code = await this.stop();
    open.delete(this);
    if (!process.env["MERPATI_KEEP"]) this.remove();
    else if (existsSync(this.folder)) writeFileSync(join(this.folder, "server.log"), this.log);
    if (code !== 0) throw new Error(`the gateway ended with ${code}:\n${this.log.slice(-5000)}`);
    const leak = this.leak();
    if (leak) throw new Error(`the log contains ${leak}`);
  }

  private remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
    if (!this.options.database) this.database?.drop();
  }

  /** Text in this log that no log may contain. */
  private leak(): string {
    const secret = [...this.secrets].find((text) => this.log.includes(text));
    if (secret) return `the secret ${secret}`;
    const line = this.log.split("\n").find((l) => l.includes(CANARY) || /628\d{8}/.test(l));
    return line ? `a text or a number: ${line}` : "";
  }

  /** Runs a command on this gateway's store. */
  cli(...args: string[]): Promise<CommandResult> {
    return command(["--config", this.config, ...args], { folder: this.folder });
  }

  /** Runs a command that reads `input` from its standard input. */
  cliWith(input: string | Readable, ...args: string[]): Promise<CommandResult> {
    return command(["--config", this.config, ...args], { folder: this.folder, input });
  }

  /** Runs a command with --json; it must succeed. */
  async json(...args: string[]): Promise<any> {
    const result = await this.cli(...args, "--json");
    if (result.code !== 0) {
      throw new Error(
        `merpati ${args.join(" ")}: ${result.code}\n${result.stderr}${result.stdout}`,
      );
    }
    return JSON.parse(result.stdout);
  }

  async account(flags: AccountFlags = {}): Promise<Account> {
    const args = Object.entries({ rate: "none", ...flags }).flatMap(([k, v]) => [
      `--${k}`,
      String(v),
    ]);
    const made = await this.json("account", "create", "toko", ...args);
    this.secrets.add(made.webhook_secret);
    return new Account(this, made.id, made.webhook_secret);
  }

  /** One request, whose answer is checked against docs/openapi.yaml. */
  async request(options: Omit<HttpRequest, "url"> & { path: string }): Promise<Answer> {
    const { path, ...rest } = options;
    const answer = await exchange({ ...rest, url: this.url + path, ca: this.options.ca });
    check(options.method, path, answer);
    return answer;
  }
}

// Each worker of the suite has ports of its own: a gateway that listens on the port of another one,
// which started at the same moment, takes half of its requests. Below those that the system gives.
const PORTS = 1_000;
const firstPort = 10_000 + (Number(process.env["VITEST_POOL_ID"] ?? 0) % 20) * PORTS;
let ports = process.pid; // Not the same ones for each file.

/** A port that is free. */
export async function freePort(): Promise<number> {
  for (;;) {
    ports += 1;
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false));
      server.listen(firstPort + (ports % PORTS), "127.0.0.1", () => resolve(true));
    });
    if (!isFree) continue;
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}

/** Settings as TOML, which has dotted keys, and strings and lists like JSON's. */
function toml(settings: Settings): string {
  return Object.entries(settings)
    .map(([key, value]) => `${key} = ${JSON.stringify(value)}\n`)
    .join("");
}
