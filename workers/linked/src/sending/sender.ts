// Carries out sends of the gateway.
import type { proto } from "baileys";
import { type Scope, runIn } from "../baileys/scope.js";
import { type Chance, type Clock, pause } from "../process/clock.js";
import { ProtocolError } from "../protocol/errors.js";
import { details } from "../texts.js";
import type { Acks, Verdict } from "./acks.js";
import { type Outgoing, type Part, parts } from "./content.js";
import type { LookUp, Numbers } from "./numbers.js";
import { fileRefusal, nothingSent, refusal, unknownOutcome } from "./refusals.js";

/// The part of a connection that sending needs.
export interface Transport {
  lookUp: LookUp;
  /// Throws ProtocolError `restricted` if this would begin a chat during a restriction.
  checkChat(number: string): Promise<void>;
  /// The platform refused to begin a chat: asks it whether that is a restriction, and throws
  /// ProtocolError `restricted` if so.
  askRestriction(platformCode: string): Promise<void>;
  typing(address: string, on: boolean): Promise<void>;
  /// Uploads the part's file, if any. Sends nothing to the recipient.
  prepare(address: string, part: Part): Promise<proto.IMessage>;
  /// Encrypts and sends the message. After a rejection the message may have left.
  relay(address: string, part: Part, message: proto.IMessage): Promise<void>;
  /// Makes the next `relay` fetch the recipient's device list again.
  forgetDevices(address: string): Promise<void>;
}

interface Prepared {
  part: Part;
  message: proto.IMessage;
}

interface HandedOver {
  id: string;
  verdict: Promise<Verdict>;
  /// The recipient has the text that belongs to this file.
  textArrived: boolean;
}

const ACK_MS = 30_000;
// Less than the gateway's 120 s, so that the worker answers first.
const START_MS_MAX = 70_000;
const STALE_DEVICES = "479";
const NO_CHAT = "463";

const TYPING_MS_A_CHARACTER = 45;
const TYPING_MS_MIN = 800;
const TYPING_MS_MAX = 12_000;

/// How long a person types a text of this length; varies by a quarter in both directions.
export function typingTime(characters: number, chance: Chance): number {
  const ms = TYPING_MS_MIN + characters * TYPING_MS_A_CHARACTER * (0.75 + chance() / 2);
  return Math.round(Math.min(ms, TYPING_MS_MAX));
}

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
  async send(transport: Transport, outgoing: Outgoing, signal: AbortSignal): Promise<string> {
    const startBy = this.clock.now() + START_MS_MAX;
    const { id, verdict, textArrived } = await this.inTurn(async () => {
      this.checkStart(signal, startBy);
      await transport.checkChat(outgoing.to);
      const address = await this.numbers.find(outgoing.to, transport.lookUp, signal);
      if (address === null) {
        throw new ProtocolError("recipient_unregistered", details.numberUnregistered);
      }
      const all = await parts(outgoing).catch((error: unknown) => {
        throw nothingSent(error);
      });
      await this.type(transport, address, outgoing, signal);
      this.checkStart(signal, startBy);
      return this.handOver(transport, address, all, signal);
    });
    const said = await verdict;
    await this.askRestriction(transport, said);
    if (said.kind === "refused" && textArrived) {
      throw fileRefusal(said.code);
    }
    return this.judge(said, id);
  }

  private async askRestriction(transport: Transport, said: Verdict): Promise<void> {
    if (said.kind === "refused" && said.code === NO_CHAT) {
      await transport.askRestriction(said.code);
    }
  }

  private checkStart(signal: AbortSignal, startBy = Infinity): void {
    if (signal.aborted) {
      throw new ProtocolError("device_down", details.deviceDown);
    }
    if (this.clock.now() > startBy) {
      throw new ProtocolError("unavailable", details.deviceBusy);
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
    transport: Transport,
    address: string,
    outgoing: Outgoing,
    signal: AbortSignal,
  ): Promise<void> {
    if (!outgoing.typing || outgoing.text === "") {
      return;
    }
    try {
      await transport.typing(address, true);
      await pause(this.clock, typingTime([...outgoing.text].length, this.chance), signal);
      if (!signal.aborted) {
        await transport.typing(address, false);
      }
    } catch {
      // The connection reports its own end.
    }
  }

  /// When this resolves, all parts but the last are acknowledged. All are prepared before the first
  /// one leaves, so that a file that cannot be uploaded leaves the recipient no text without it.
  private async handOver(
    transport: Transport,
    address: string,
    all: Part[],
    signal: AbortSignal,
  ): Promise<HandedOver> {
    const prepared: Prepared[] = [];
    for (const part of all) {
      const message = await transport.prepare(address, part).catch((error: unknown) => {
        throw nothingSent(error);
      });
      prepared.push({ part, message });
    }
    const last = prepared.pop()!;
    for (const ahead of prepared) {
      const { verdict } = await this.handOverPart(transport, address, ahead, signal);
      const said = await verdict;
      await this.askRestriction(transport, said);
      this.judge(said, ahead.part.id);
    }
    const handedOver = await this.handOverPart(transport, address, last, signal);
    return { ...handedOver, textArrived: prepared.length > 0 };
  }

  private async handOverPart(
    transport: Transport,
    address: string,
    { part, message }: Prepared,
    signal: AbortSignal,
  ): Promise<HandedOver> {
    this.checkStart(signal);
    const first = await this.relay(transport, address, part, message);
    const verdict = first.verdict.then(async (said) => {
      if (said.kind !== "refused" || said.code !== STALE_DEVICES) {
        return said;
      }
      await transport.forgetDevices(address);
      const again = await this.relay(transport, address, part, message);
      return again.verdict;
    });
    verdict.catch(() => {}); // The caller that awaits it reports the failure.
    return { id: part.id, verdict, textArrived: false };
  }

  private async relay(
    transport: Transport,
    address: string,
    part: Part,
    message: proto.IMessage,
  ): Promise<{ verdict: Promise<Verdict> }> {
    const { verdict, startTimer } = this.acks.expect(part.id);
    const send = { encrypted: false };
    try {
      await runIn({ ...this.scope, send }, () => transport.relay(address, part, message));
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
          verdict.why === "time" ? details.unconfirmed : details.lostBeforeConfirmed,
        );
    }
  }
}
