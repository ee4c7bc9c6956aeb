// The gateway's side of the protocol, and a worker that it started.
import { type ChildProcess, spawn } from "node:child_process";
import type { Duplex } from "node:stream";
import { fileURLToPath } from "node:url";
import type { ProtocolError } from "../../src/protocol/errors.js";
import { encodeLine, type Line, LineReader } from "../../src/protocol/lines.js";
import { MemoryValues } from "./memory_values.js";

const program = fileURLToPath(new URL("../../dist/main.js", import.meta.url));
const DEADLINE_MS = 15_000;

/// Keeps the values of all devices across restarts of its worker.
export class FakeGateway {
  readonly lines: Line[] = [];
  readonly output: string[] = [];
  readonly stores = new Map<string, MemoryValues>();
  /// Answers in place of `ok`, by operation.
  readonly refusals = new Map<string, Line>();
  /// Operations that get no answer.
  readonly silent = new Set<string>();
  private readonly forgotten = new Set<string>();
  private readonly generations = new Map<string, unknown>();
  exitCode: number | null | undefined;
  private worker!: ChildProcess;
  private socket!: Duplex;
  private nextId = 1;
  private waiters: (() => void)[] = [];
  private restarting: Promise<void> | undefined;
  private announce: () => void = () => {};
  private deaths = new Promise<void>((resolve) => {
    this.announce = resolve;
  });
  private readonly answers = new Map<number, Line>();

  constructor(private readonly config: Record<string, string> = {}) {}

  start(): void {
    this.exitCode = undefined;
    this.worker = spawn(process.execPath, [program], {
      cwd: "/",
      // A worker writes nothing to disk.
      env: { PATH: process.env["PATH"], LANG: "C.UTF-8", TMPDIR: "/nonexistent" },
      stdio: ["ignore", "pipe", "pipe", "pipe"],
    });
    this.socket = this.worker.stdio[3] as Duplex;
    const reader = new LineReader();
    const mine = this.worker;
    this.socket.on("data", (chunk: Buffer) => {
      for (const line of reader.push(chunk)) {
        void this.take(line);
      }
    });
    this.socket.on("error", () => {});
    for (const stream of [this.worker.stdout!, this.worker.stderr!]) {
      stream.on("data", (chunk: Buffer) => this.output.push(chunk.toString()));
    }
    this.worker.on("exit", (code) => {
      if (this.worker === mine) {
        this.exitCode = code;
        this.wake();
      }
    });
  }

  /// Kills the worker with SIGKILL, and starts the next one.
  async killAndRestart(): Promise<void> {
    const ended = new Promise((resolve) => this.worker.once("exit", resolve));
    this.worker.kill("SIGKILL");
    await ended;
    this.answers.clear();
    this.start();
  }

  /// Runs `work`, which restarts the worker. Callers of `died` and `up` wait for its start and end.
  async whileDown(work: () => Promise<void>): Promise<void> {
    let up = (): void => {};
    this.restarting = new Promise((resolve) => {
      up = resolve;
    });
    this.announce();
    await work();
    this.restarting = undefined;
    this.deaths = new Promise((resolve) => {
      this.announce = resolve;
    });
    up();
  }

  /// Resolves when `whileDown` begins.
  async died(): Promise<undefined> {
    await this.deaths;
    return undefined;
  }

  async up(): Promise<void> {
    await this.restarting;
  }

  closeSocket(): void {
    this.socket.destroy();
  }

  write(bytes: string): void {
    this.socket.write(bytes);
  }

  async stop(): Promise<void> {
    if (this.exitCode === undefined && this.worker) {
      const ended = new Promise((resolve) => this.worker.once("exit", resolve));
      this.worker.kill("SIGKILL");
      await ended;
    }
  }

  /// Sends a request; resolves with the answer.
  async ask(op: string, fields: Line = {}): Promise<Line> {
    const id = this.nextId++;
    this.noteRequest({ op, ...fields });
    this.socket.write(encodeLine({ id, op, ...fields }));
    return this.until(`an answer to ${op}`, () => this.answers.get(id));
  }

  /// Sends requests in one write, so that the worker reads them at once; resolves with the answers.
  async askTogether(requests: [op: string, fields: Line][]): Promise<Line[]> {
    const asked = requests.map(([op, fields]) => ({ id: this.nextId++, op, ...fields }));
    asked.forEach((line) => this.noteRequest(line));
    this.socket.write(Buffer.concat(asked.map((line) => encodeLine(line))));
    return Promise.all(
      asked.map(({ id, op }) => this.until(`an answer to ${op}`, () => this.answers.get(id))),
    );
  }

  /// Removes a device's values, and stores no more of it. The worker hears of it by
  /// `device.forget`.
  remove(device: string): void {
    this.stores.delete(device);
    this.forgotten.add(device);
  }

  private noteRequest(line: Line): void {
    const device = String(line["device"]);
    if (line["op"] === "device.forget") {
      this.remove(device);
    } else if (line["op"] === "device.start") {
      this.forgotten.delete(device);
      this.generations.set(device, line["generation"]);
    }
  }

  /// What the gateway answers to a line of a device that it has forgotten, or of an earlier start.
  private objection(line: Line): Line | undefined {
    const device = String(line["device"]);
    if (line["device"] !== undefined && line["generation"] !== this.generations.get(device)) {
      return { kind: "stale" };
    }
    return this.forgotten.has(device) ? { kind: "not_found" } : undefined;
  }

  /// Sends a request without waiting for the answer.
  tell(op: string, fields: Line = {}): void {
    this.noteRequest({ op, ...fields });
    this.socket.write(encodeLine({ id: this.nextId++, op, ...fields }));
  }

  /// Waits for the first line with this operation and these fields, from line number `after` on.
  line(op: string, fields: Line = {}, after = 0): Promise<Line> {
    return this.until(`${op} ${JSON.stringify(fields)}`, () =>
      this.lines
        .slice(after)
        .find(
          (line) =>
            line["op"] === op &&
            Object.entries(fields).every(([name, value]) => line[name] === value),
        ),
    );
  }

  state(device: string, state: string, after = 0): Promise<Line> {
    return this.line("device.state", { device, state }, after);
  }

  ended(): Promise<true> {
    return this.until("the end of the worker", () => this.exitCode !== undefined || undefined);
  }

  store(device: string): MemoryValues {
    const store = this.stores.get(device) ?? new MemoryValues();
    this.stores.set(device, store);
    return store;
  }

  async until<T>(what: string, look: () => T | undefined): Promise<T> {
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      this.wake();
    }, DEADLINE_MS);
    try {
      for (;;) {
        const found = look();
        if (found !== undefined) {
          return found;
        }
        if (late) {
          const said = this.lines.slice(-12).map((line) => JSON.stringify(line).slice(0, 300));
          throw new Error(`${what}: not in time. Last lines:\n${said.join("\n")}`);
        }
        await new Promise<void>((resolve) => this.waiters.push(resolve));
      }
    } finally {
      clearTimeout(timer);
    }
  }

  private wake(): void {
    const woken = this.waiters;
    this.waiters = [];
    woken.forEach((resolve) => resolve());
  }

  private async take(line: Line): Promise<void> {
    if (typeof line["ok"] === "boolean") {
      this.answers.set(line["id"] as number, line);
      this.wake();
      return;
    }
    this.lines.push(line);
    this.wake();
    if (line["id"] !== undefined && !this.silent.has(line["op"] as string)) {
      await this.answer(line);
      this.wake();
    }
  }

  private async answer(line: Line): Promise<void> {
    const { socket } = this;
    const refusal = this.refusals.get(line["op"] as string) ?? this.objection(line);
    const refused = (error: Line): Line => ({ id: line["id"], ok: false, error });
    const answer = refusal
      ? refused(refusal)
      : await this.result(line).then(
          (result) => ({ id: line["id"], ok: true, result }) as Line,
          (error: ProtocolError) => refused({ ...error.fields() }),
        );
    if (!socket.destroyed) {
      socket.write(encodeLine(answer));
    }
  }

  private async result(line: Line): Promise<Line> {
    const device = String(line["device"]);
    switch (line["op"]) {
      case "hello":
        return {
          protocol: 1,
          config: this.config,
          features: ["restricted"],
          limits: { requests: 1024, requests_per_device: 64 },
        };
      case "store.get":
        return { values: await this.store(device).get(device, line["names"] as string[]) };
      case "store.put":
        queueMicrotask(() => this.wake());
        await this.store(device).put(device, line["values"] as never, line["clear"] === true);
        return {};
      default:
        return {};
    }
  }
}
