// One end of the connector protocol: requests, answers and notices in both directions.
import type { Duplex } from "node:stream";
import type { Clock } from "../process/clock.js";
import { errorName } from "../process/log.js";
import { details } from "../texts.js";
import { ProtocolError } from "./errors.js";
import { encodeLine, type Line, LineReader } from "./lines.js";
import { RequestLimit } from "./request_limit.js";

export type Answer = Record<string, unknown>;
/// `answered` resolves when the answer was written, or failed.
export type Handler = (
  op: string,
  fields: Line,
  answered: Promise<void>,
) => Promise<Answer> | Answer;

interface UnderWay {
  resolve: (result: Answer) => void;
  reject: (error: ProtocolError) => void;
  forget: () => void;
}

// Longer than the gateway's own limit, so that its answer comes first.
const ANSWER_MS = 65_000;
// While the gateway has not read so much, requests wait, and lines for its log are left out.
const UNREAD_BYTES_MAX = 4 * 1024 * 1024;

/// Speaks lines over a stream.
///
/// Operation: `request` resolves with the result, or rejects with a ProtocolError. Requests of the
/// other side go to `handle`, and may overlap. A line that breaks the protocol, or the end of the
/// stream, is reported once to `broken`; all requests in flight then fail. The cause of a failure
/// that `handle` did not expect, or that its error stands for, goes to the gateway's log.
///
/// Limits: as many requests in flight, for each device and in total, as the other side accepts.
/// While it does not read, requests wait and `log` notices are dropped.
export class Peer {
  readonly limit = new RequestLimit(32, 512);
  private readonly reader = new LineReader();
  private readonly underWay = new Map<number, UnderWay>();
  private drained: Promise<void> | undefined;
  private nextId = 1;
  private ended = false;

  constructor(
    private readonly stream: Duplex,
    private readonly clock: Clock,
    private readonly handle: Handler,
    private readonly broken: (reason: string) => void,
  ) {
    stream.on("data", (chunk: Buffer) => this.read(chunk));
    stream.on("end", () => this.fail("the gateway closed the socket"));
    stream.on("close", () => this.fail("the gateway closed the socket"));
    stream.on("error", (error) => this.fail(`the socket failed: ${error.message}`));
  }

  /// The request counts for the limit of the field `device`.
  async request(op: string, fields: Line = {}): Promise<Answer> {
    const device = typeof fields["device"] === "string" ? fields["device"] : "";
    await this.limit.enter(device);
    try {
      while (this.isFull()) {
        await this.drain();
      }
      return await this.ask(op, fields);
    } finally {
      this.limit.leave(device);
    }
  }

  notice(op: string, fields: Line = {}): void {
    if (op !== "log" || !this.isFull()) {
      this.write({ op, ...fields });
    }
  }

  private isFull(): boolean {
    return !this.ended && this.stream.writableLength > UNREAD_BYTES_MAX;
  }

  private drain(): Promise<void> {
    this.drained ??= new Promise((resolve) => {
      const end = (): void => {
        this.drained = undefined;
        this.stream.off("drain", end);
        this.stream.off("close", end);
        resolve();
      };
      this.stream.on("drain", end);
      this.stream.on("close", end);
    });
    return this.drained;
  }

  private ask(op: string, fields: Line): Promise<Answer> {
    if (this.ended) {
      return Promise.reject(new ProtocolError("closing"));
    }
    const id = this.nextId++;
    return new Promise((resolve, reject) => {
      const cancel = this.clock.after(ANSWER_MS, () => {
        this.underWay.delete(id);
        reject(new ProtocolError("unavailable", "the gateway did not answer in time"));
      });
      this.underWay.set(id, { resolve, reject, forget: cancel });
      try {
        this.write({ id, op, ...fields });
      } catch (error) {
        cancel();
        this.underWay.delete(id);
        reject(new ProtocolError("too_large", (error as Error).message));
      }
    });
  }

  private write(line: Line): void {
    const bytes = encodeLine(line);
    if (!this.ended) {
      this.stream.write(bytes);
    }
  }

  private read(chunk: Buffer): void {
    if (this.ended) {
      return;
    }
    try {
      for (const line of this.reader.push(chunk)) {
        this.take(line);
      }
    } catch (error) {
      this.fail(`the gateway broke the protocol: ${(error as Error).message}`);
    }
  }

  private take(line: Line): void {
    const id = line["id"];
    if (typeof line["ok"] === "boolean" && typeof id === "number") {
      this.settle(id, line);
    } else if (typeof line["op"] === "string" && typeof id === "number") {
      void this.answer(id, line["op"], line);
    } else if (typeof line["op"] === "string" && id === undefined) {
      void this.run(line["op"], line, Promise.resolve()).catch(() => {}); // Nobody awaits it.
    } else {
      throw new Error("a line is no request, answer or notice");
    }
  }

  private settle(id: number, line: Line): void {
    const waiting = this.underWay.get(id);
    if (!waiting) {
      return; // The answer came too late.
    }
    this.underWay.delete(id);
    waiting.forget();
    if (line["ok"] === true) {
      waiting.resolve((line["result"] ?? {}) as Answer);
    } else {
      waiting.reject(ProtocolError.from(line["error"]));
    }
  }

  private async answer(id: number, op: string, line: Line): Promise<void> {
    let written = (): void => {};
    const answered = new Promise<void>((resolve) => {
      written = resolve;
    });
    try {
      const result = await this.run(op, line, answered);
      this.write({ id, ok: true, result });
    } catch (error) {
      const failed =
        error instanceof ProtocolError
          ? error
          : new ProtocolError("internal", details.fault).because(error);
      this.write({ id, ok: false, error: failed.fields() });
      this.logCause(op, line, failed);
    } finally {
      written();
    }
  }

  /// The answer tells only the kind of a failure.
  private logCause(op: string, { device }: Line, { kind, cause }: ProtocolError): void {
    if (cause !== undefined) {
      const level = kind === "internal" ? "error" : kind === "device_down" ? "debug" : "warn";
      const about = typeof device === "string" ? { device } : {};
      this.notice("log", { level, text: `${op} failed: ${errorName(cause)}`, ...about });
    }
  }

  private async run(op: string, line: Line, answered: Promise<void>): Promise<Answer> {
    return this.handle(op, line, answered);
  }

  private fail(reason: string): void {
    if (this.ended) {
      return;
    }
    this.ended = true;
    for (const waiting of this.underWay.values()) {
      waiting.forget();
      waiting.reject(new ProtocolError("closing"));
    }
    this.underWay.clear();
    this.broken(reason);
  }
}
