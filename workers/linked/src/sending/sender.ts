// Carries out sends of the gateway.
import type { proto } from "baileys";
import { type Chance, type Clock, pause } from "../clock.js";
import { type Scope, runIn } from "../platform/scope.js";
import { ProtocolError } from "../protocol/errors.js";
import type { Acks, Verdict } from "./acks.js";
import { type Outgoing, type Part, parts } from "./content.js";
import type { LookUp, Numbers } from "./numbers.js";
import { nothingSent, refusal, unknownOutcome } from "./refusals.js";
import { typingTime } from "./typing.js";

/// The part of a connection that sending needs.
export interface Line {
  lookUp: LookUp;
  typing(address: string, on: boolean): Promise<void>;
  /// Uploads the part's file, if any. Sends nothing to the recipient.
  prepare(address: string, part: Part): Promise<proto.IMessage>;
  /// Encrypts and sends the message. After a rejection the message may have left.
  relay(address: string, part: Part, message: proto.IMessage): Promise<void>;
  /// Makes the next `relay` fetch the recipient's device list again.
  forgetDevices(address: string): Promise<void>;
}

interface HandedOver {
  id: string;
  verdict: Promise<Verdict>;
}

const ACK_MS = 30_000;
// Less than the gateway's 120 s, so that the worker answers first.
const START_MS_MAX = 70_000;
const STALE_DEVICES = "479";

/// Sends the messages of one device.
///
/// Operation: messages are handed over one after another in the order of the calls, including the
/// time of typing. Their acknowledgements are awaited in parallel. `signal` ends typing and waiting
/// at once.
///
/// Errors: ProtocolError. `outcome_unknown` if a message may have left and was not acknowledged. A
/// repeated send has the same ids, so that the recipient still sees one message.
export class Sender {
  private turn: Promise<void> = Promise.resolve();

  constructor(
    private readonly clock: Clock,
    private readonly chance: Chance,
    private readonly numbers: Numbers,
    private readonly acks: Acks,
    private readonly scope: Scope,
  ) {}

  /// Resolves with the platform's id when the platform has taken the message.
  async send(line: Line, outgoing: Outgoing, signal: AbortSignal): Promise<string> {
    const startBy = this.clock.now() + START_MS_MAX;
    const { id, verdict } = await this.inTurn(async () => {
      this.checkStart(signal, startBy);
      const address = await this.numbers.find(outgoing.to, line.lookUp, signal);
      if (address === null) {
        throw new ProtocolError("recipient_unregistered", "Nomor tidak terdaftar di platform");
      }
      const all = await parts(outgoing).catch((error: unknown) => {
        throw nothingSent(error);
      });
      await this.type(line, address, outgoing, signal);
      this.checkStart(signal, startBy);
      return this.handOver(line, address, all, signal);
    });
    return this.judge(await verdict, id);
  }

  private checkStart(signal: AbortSignal, startBy = Infinity): void {
    if (signal.aborted) {
      throw new ProtocolError("device_down", "Perangkat tidak terhubung");
    }
    if (this.clock.now() > startBy) {
      throw new ProtocolError("unavailable", "Perangkat terlalu sibuk");
    }
  }

  private async inTurn<T>(work: () => Promise<T>): Promise<T> {
    const before = this.turn;
    let done = (): void => {};
    this.turn = new Promise((resolve) => {
      done = resolve;
    });
    await before;
    try {
      return await work();
    } finally {
      done();
    }
  }

  /// Best effort: a failure to show typing does not stop the message.
  private async type(
    line: Line,
    address: string,
    outgoing: Outgoing,
    signal: AbortSignal,
  ): Promise<void> {
    if (!outgoing.typing || outgoing.text === "") {
      return;
    }
    try {
      await line.typing(address, true);
      await pause(this.clock, typingTime([...outgoing.text].length, this.chance), signal);
      if (!signal.aborted) {
        await line.typing(address, false);
      }
    } catch {
      // The connection reports its own end.
    }
  }

  /// When this resolves, all parts but the last are acknowledged.
  private async handOver(
    line: Line,
    address: string,
    all: Part[],
    signal: AbortSignal,
  ): Promise<HandedOver> {
    for (const part of all.slice(0, -1)) {
      const { verdict } = await this.handOverPart(line, address, part, signal);
      this.judge(await verdict, part.id);
    }
    return this.handOverPart(line, address, all[all.length - 1]!, signal);
  }

  private async handOverPart(
    line: Line,
    address: string,
    part: Part,
    signal: AbortSignal,
  ): Promise<HandedOver> {
    const message = await line.prepare(address, part).catch((error: unknown) => {
      throw nothingSent(error);
    });
    this.checkStart(signal);
    const first = await this.relay(line, address, part, message);
    const verdict = first.verdict.then(async (said) => {
      if (said.kind !== "refused" || said.code !== STALE_DEVICES) {
        return said;
      }
      await line.forgetDevices(address);
      const again = await this.relay(line, address, part, message);
      return again.verdict;
    });
    verdict.catch(() => {}); // The caller that awaits it reports the failure.
    return { id: part.id, verdict };
  }

  private async relay(
    line: Line,
    address: string,
    part: Part,
    message: proto.IMessage,
  ): Promise<{ verdict: Promise<Verdict> }> {
    const { verdict, startTimer } = this.acks.expect(part.id);
    const send = { encrypted: false };
    try {
      await runIn({ ...this.scope, send }, () => line.relay(address, part, message));
    } catch (error) {
      if (!send.encrypted) {
        this.acks.taken(part.id); // Nobody waits for it any more.
        throw nothingSent(error);
      }
    }
    startTimer(ACK_MS);
    return { verdict };
  }

  private judge(verdict: Verdict, id: string): string {
    switch (verdict.kind) {
      case "taken":
        return id;
      case "refused":
        throw refusal(verdict.code);
      case "unknown":
        throw unknownOutcome(
          verdict.why === "time"
            ? "Platform tidak mengonfirmasi pesan"
            : "Koneksi terputus sebelum platform mengonfirmasi pesan",
        );
    }
  }
}
