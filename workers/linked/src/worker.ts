// Passes requests of the gateway to the devices.
import { queueJob } from "./baileys/job_queue.js";
import { Device, type Surroundings } from "./devices/device.js";
import { fetchMedia } from "./inbound/media_fetch.js";
import { readReference, REFERENCE_BYTES_MAX } from "./inbound/media_reference.js";
import { pause } from "./process/clock.js";
import { ProtocolError } from "./protocol/errors.js";
import {
  absolutePath,
  digits,
  nested,
  optionalText,
  optionalWhole,
  text,
  whole,
} from "./protocol/fields.js";
import type { Line } from "./protocol/lines.js";
import type { Answer } from "./protocol/peer.js";
import type { MediaFile, Outgoing } from "./sending/content.js";
import { details } from "./texts.js";

const TEXT_MAX = 65_536;
const ANSWER_MAX = 16_384;
const BYTES_MAX = Number.MAX_SAFE_INTEGER;
// The worker ends this long before the gateway would kill it.
const SHUTDOWN_MARGIN_MS = 1_000;

export const CAPABILITIES = {
  pairing: ["qr", "code"],
  typing: true,
  // The same message has the same id at the platform on every attempt.
  recognises_repeats: true,
  number_check: true,
  media_fetch: true,
  late_statuses: true,
  generations: true,
  text_characters_max: TEXT_MAX,
  window: 4,
};

/// Answers the requests of the gateway.
///
/// Operation: starts, stops and forgets of one number run one after another, in the order in which
/// they came. The answer to a stop or a forget means that nothing writes for the number any more.
export class Worker {
  private readonly devices = new Map<string, Device>();
  private sending = 0;
  private closing = false;

  constructor(
    private readonly around: Surroundings,
    private readonly exit: () => void,
  ) {}

  readonly handle = async (op: string, line: Line, answered: Promise<void>): Promise<Answer> => {
    switch (op) {
      case "ping":
        return {};
      case "device.start":
        return this.start(line, answered);
      case "device.answer":
        return this.answer(line);
      case "device.stop":
        return this.stop(line);
      case "device.forget":
        return this.forget(line);
      case "send":
        return this.send(line);
      case "number.check":
        return { registered: await this.known(line).isRegistered(digits(line, "number")) };
      case "media.fetch":
        return this.fetchMedia(line);
      case "shutdown":
        return this.shutdown(line);
      default:
        throw new ProtocolError("unsupported", "no such operation");
    }
  };

  private start(line: Line, answered: Promise<void>): Promise<Answer> {
    const number = digits(line, "device");
    const generation = optionalWhole(line, "generation", 1, Number.MAX_SAFE_INTEGER);
    const asked = optionalText(line, "pairing", 16);
    const pairing = asked === "qr" || asked === "code" ? asked : undefined;
    if (asked && !pairing) {
      throw new ProtocolError("unsupported", "no such way of pairing");
    }
    return new Promise((answer) => {
      void this.inTurn(number, async () => {
        this.devices.get(number)?.adopt(generation);
        // After the answer: the gateway takes reports before it for those of an earlier start.
        answer({});
        await answered;
        if (!this.closing) {
          const device = this.device(number);
          device.adopt(generation);
          device.start(pairing);
        }
      });
    });
  }

  private async answer(line: Line): Promise<Answer> {
    const device = this.devices.get(digits(line, "device"));
    const answer = text(line, "answer", ANSWER_MAX);
    if (!device) {
      throw new ProtocolError("invalid", "no pairing step asks for an answer");
    }
    await device.answer(answer);
    return {};
  }

  private stop(line: Line): Promise<Answer> {
    const number = digits(line, "device");
    return this.inTurn(number, async () => {
      await this.devices.get(number)?.stop();
      return {};
    });
  }

  private forget(line: Line): Promise<Answer> {
    const number = digits(line, "device");
    return this.inTurn(number, async () => {
      await this.devices.get(number)?.forget();
      this.devices.delete(number);
      return {};
    });
  }

  private inTurn<T>(number: string, job: () => Promise<T>): Promise<T> {
    return queueJob(`device ${number}`, job);
  }

  private async send(line: Line): Promise<Answer> {
    if (this.closing) {
      throw new ProtocolError("closing");
    }
    const device = this.known(line);
    const outgoing = outgoingOf(line);
    this.sending++;
    try {
      return { outcome: "sent", platform_id: await device.send(outgoing) };
    } finally {
      this.sending--;
    }
  }

  /// Works without a connection, because the reference contains address and key.
  private async fetchMedia(line: Line): Promise<Answer> {
    const reference = readReference(optionalText(line, "reference", REFERENCE_BYTES_MAX));
    const path = absolutePath(line, "path");
    const bytesMax = whole(line, "bytes_max", 0, BYTES_MAX);
    const within = AbortSignal.timeout(whole(line, "within_ms", 1, 3_600_000));
    const { agent, standIn } = this.around.settings;
    const hosts = { agent, anyHost: standIn };
    return {
      bytes: await fetchMedia(reference, path, bytesMax, hosts, within),
      mime: reference.mime,
    };
  }

  private async shutdown(line: Line): Promise<Answer> {
    this.closing = true;
    const within = whole(line, "within_ms", 0, 600_000);
    const { clock } = this.around;
    const endBy = clock.now() + within - SHUTDOWN_MARGIN_MS;
    while (this.sending > 0 && clock.now() < endBy) {
      await pause(clock, 50);
    }
    const numbers = [...this.devices.keys()];
    await Promise.all(numbers.map((device) => this.stop({ device })));
    setImmediate(this.exit);
    return {};
  }

  private device(number: string): Device {
    let device = this.devices.get(number);
    if (!device) {
      device = new Device(number, this.around);
      this.devices.set(number, device);
    }
    return device;
  }

  private known(line: Line): Device {
    const device = this.devices.get(digits(line, "device"));
    if (!device) {
      throw new ProtocolError("device_down", details.deviceDown);
    }
    return device;
  }
}

function outgoingOf(line: Line): Outgoing {
  const type = text(line, "type", 16);
  if (type !== "text" && type !== "media") {
    throw new ProtocolError("unsupported", "no such type of message");
  }
  const outgoing: Outgoing = {
    message: text(line, "message", 64),
    to: digits(line, "to"),
    text: text(line, "text", TEXT_MAX * 2),
    typing: line["typing"] === true,
  };
  return type === "media" ? { ...outgoing, media: mediaOf(nested(line, "media")) } : outgoing;
}

function mediaOf(line: Line): MediaFile {
  const name = optionalText(line, "name", 1024);
  return {
    path: absolutePath(line, "path"),
    mime: text(line, "mime", 256),
    bytes: whole(line, "bytes", 0, BYTES_MAX),
    sha256: text(line, "sha256", 64),
    ...(name ? { name } : {}),
  };
}
