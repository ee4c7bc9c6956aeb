// The worker: passes requests of the gateway to the devices.
import { readFileSync } from "node:fs";
import { Socket } from "node:net";
import { proto } from "baileys";
import { type Clock, pause, systemClock } from "./clock.js";
import { Connection } from "./device/connection.js";
import { Device, type Surroundings } from "./device/device.js";
import { platformSettings } from "./device/settings.js";
import { fetchMedia } from "./inbound/media_fetch.js";
import { readReference, REFERENCE_BYTES_MAX } from "./inbound/media_reference.js";
import { stopForGood, stopNow } from "./platform/exit.js";
import { errorName } from "./platform/log.js";
import { MemoryTrimmer } from "./platform/memory.js";
import { currentScope } from "./platform/scope.js";
import { testSignatures } from "./platform/self_test.js";
import { checkCertificates } from "./platform/signatures.js";
import { ProtocolError } from "./protocol/errors.js";
import { absolutePath, digits, nested, optionalText, text, whole } from "./protocol/fields.js";
import { Gateway } from "./protocol/gateway.js";
import type { Line } from "./protocol/lines.js";
import { type Answer, Peer } from "./protocol/peer.js";
import type { MediaFile, Outgoing } from "./sending/content.js";
import { NumberCache } from "./sending/numbers.js";

const PROTOCOL = 1;
const DESCRIPTOR = 3;
const TEXT_MAX = 65_536;
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
  text_characters_max: TEXT_MAX,
  window: 4,
};

/// Answers the requests of the gateway.
export class Worker {
  private readonly devices = new Map<string, Device>();
  private sending = 0;
  private closing = false;

  constructor(
    private readonly around: Surroundings,
    private readonly exit: () => void,
  ) {}

  readonly handle = async (op: string, line: Line): Promise<Answer> => {
    switch (op) {
      case "ping":
        return {};
      case "device.start":
        return this.start(line);
      case "device.answer":
        throw new ProtocolError("invalid", "no pairing step asks for an answer");
      case "device.stop":
        await this.devices.get(digits(line, "device"))?.stop();
        return {};
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

  private start(line: Line): Answer {
    const number = digits(line, "device");
    const asked = optionalText(line, "pairing", 16);
    const pairing = asked === "qr" || asked === "code" ? asked : undefined;
    if (asked && !pairing) {
      throw new ProtocolError("unsupported", "no such way of pairing");
    }
    // After the answer: the gateway takes reports before it for those of an earlier start.
    setImmediate(() => {
      if (!this.closing) {
        this.device(number).start(pairing);
      }
    });
    return {};
  }

  private async forget(line: Line): Promise<Answer> {
    const number = digits(line, "device");
    await this.device(number).forget();
    this.devices.delete(number);
    return {};
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
    await Promise.all([...this.devices.values()].map((device) => device.stop()));
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
      throw new ProtocolError("device_down", "Perangkat tidak terhubung");
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

/// Runs until the gateway or the end of the socket stops it.
export async function runWorker(): Promise<void> {
  checkCertificates(proto as unknown as Parameters<typeof checkCertificates>[0]);
  await testSignatures();
  const clock: Clock = systemClock;
  let begin: (worker: Worker) => void = () => {};
  const begun = new Promise<Worker>((resolve) => {
    begin = resolve;
  });
  const peer = new Peer(
    new Socket({ fd: DESCRIPTOR, readable: true, writable: true }),
    clock,
    // The first requests may arrive together with the answer to hello.
    async (op, line) => (await begun).handle(op, line),
    stopNow, // Nothing may be sent for a gateway that is gone.
  );
  const gateway = new Gateway(peer, clock);
  const settings = await greet(peer);
  surviveFaults(gateway);
  const around: Surroundings = {
    gateway,
    clock,
    chance: Math.random,
    numberCache: new NumberCache(clock),
    settings,
    connect: (parts) => new Connection(parts),
  };
  if (settings.standIn) {
    gateway.log(
      "warn",
      "devices connect to a platform that the settings name, not to the real one",
    );
  }
  new MemoryTrimmer(clock).start();
  begin(new Worker(around, () => process.exit(0)));
}

async function greet(peer: Peer): Promise<ReturnType<typeof platformSettings>> {
  const hello = {
    protocols: [PROTOCOL],
    name: "linked",
    version: version(),
    capabilities: CAPABILITIES,
  };
  let result: Answer;
  try {
    result = await peer.request("hello", hello);
  } catch (error) {
    stopForGood(`the gateway refused the worker: ${errorName(error)}`);
  }
  const limits = (result["limits"] ?? {}) as Record<string, unknown>;
  peer.limit.perDevice = share(limits["requests_per_device"], peer.limit.perDevice);
  peer.limit.inAll = share(limits["requests"], peer.limit.inAll);
  try {
    return platformSettings((result["config"] ?? {}) as Record<string, unknown>);
  } catch (error) {
    stopForGood(`a setting of the connector is wrong: ${(error as Error).message}`);
  }
}

/// Half of the gateway's limit: the gateway may count a request longer than the worker does.
function share(limit: unknown, otherwise: number): number {
  return typeof limit === "number" && limit >= 2 ? Math.floor(limit / 2) : otherwise;
}

function version(): string {
  const file = new URL("../package.json", import.meta.url);
  return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
}

/// An exception that nobody caught ends the connection of the device for which the code ran. If the
/// code ran for no device, the worker ends and is started again.
function surviveFaults(gateway: Gateway): void {
  process.on("unhandledRejection", (error) => {
    gateway.log("warn", `a promise failed: ${errorName(error)}`, currentScope()?.device);
  });
  process.on("uncaughtException", (error) => {
    const scope = currentScope();
    gateway.log("error", `an exception: ${errorName(error)}`, scope?.device);
    if (!scope) {
      process.exit(1);
    }
    scope.fail(error);
  });
}
