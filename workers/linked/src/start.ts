// Starts the worker: checks what it runs on, greets the gateway, and puts the parts together.
import { readFileSync } from "node:fs";
import { Socket } from "node:net";
import { proto } from "baileys";
import { trustRootKey } from "./baileys/root_key.js";
import { currentScope } from "./baileys/scope.js";
import { testSignatures } from "./baileys/self_test.js";
import { checkCertificates } from "./baileys/signatures.js";
import { Connection } from "./devices/connection.js";
import type { Surroundings } from "./devices/device.js";
import { platformSettings } from "./devices/settings.js";
import { StartRate } from "./devices/start_rate.js";
import { type Clock, systemClock } from "./process/clock.js";
import { stopForGood, stopNow } from "./process/exit.js";
import { errorName } from "./process/log.js";
import { MemoryTrimmer } from "./process/memory.js";
import { Gateway } from "./protocol/gateway.js";
import { type Answer, Peer } from "./protocol/peer.js";
import { NumberCache } from "./sending/numbers.js";
import { CAPABILITIES, Worker } from "./worker.js";

const PROTOCOL = 1;
const DESCRIPTOR = 3;
// If the gateway names no other rate.
const STARTS_PER_SECOND = 20;

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
    async (op, line, answered) => (await begun).handle(op, line, answered),
    stopNow, // Nothing may be sent for a gateway that is gone.
  );
  const gateway = new Gateway(peer, clock);
  const startRate = new StartRate(clock, STARTS_PER_SECOND);
  const settings = await greet(peer, startRate);
  if (settings.rootKey) {
    trustRootKey(settings.rootKey);
  }
  surviveFaults(gateway);
  const around: Surroundings = {
    gateway,
    clock,
    chance: Math.random,
    numberCache: new NumberCache(clock),
    settings,
    startRate,
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

async function greet(
  peer: Peer,
  startRate: StartRate,
): Promise<ReturnType<typeof platformSettings>> {
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
  const starts = limits["starts_per_second"];
  startRate.perSecond = typeof starts === "number" && starts >= 1 ? starts : STARTS_PER_SECOND;
  try {
    const config = (result["config"] ?? {}) as Record<string, unknown>;
    return platformSettings(config, result["features"]);
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
