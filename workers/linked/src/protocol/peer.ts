// One end of the connector protocol: requests, answers and notices in both directions.
import type { Duplex } from "node:stream";
import type { Clock } from "../clock.js";
import { ProtocolError } from "./errors.js";
import { encodeLine, type Line, LineReader } from "./lines.js";
import { RequestLimit } from "./request_limit.js";

export type Answer = Record<string, unknown>;
export type Handler = (op: string, fields: Line) => Promise<Answer> | Answer;

interface UnderWay {
  resolve: (result: Answer) => void;
  reject: (error: ProtocolError) => void;
  forget: () => void;
}

// Longer than the gateway's own limit, so that its answer comes first.
const ANSWER_MS = 65_000;

/// Speaks lines over a stream.
///
/// Operation: `request` resolves with the result, or rejects with a ProtocolError. Requests of the
/// other side go to `handle`, and may overlap. A line that breaks the protocol, or the end of the
/// stream, is reported once to `broken`; all requests in flight then fail.
///
/// Limits: as many requests in flight, for each device and in total, as the other side accepts.
export class Peer {
  readonly limit = new RequestLimit(32, 512);
  private readonly reader = new LineReader();
  private readonly underWay = new Map<number, UnderWay>();
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
      return await this.ask(op, fields);
    } finally {
      this.limit.leave(device);
    }
  }

  notice(op: string, fields: Line = {}): void {
    this.write({ op, ...fields });
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
      void this.run(line["op"], line).catch(() => {});
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
    try {
      const result = await this.run(op, line);
      this.write({ id, ok: true, result });
    } catch (error) {
      const failed =
        error instanceof ProtocolError ? error : new ProtocolError("internal", "Galat pada worker");
      this.write({ id, ok: false, error: failed.fields() });
    }
  }

  private async run(op: string, line: Line): Promise<Answer> {
    return this.handle(op, line);
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
