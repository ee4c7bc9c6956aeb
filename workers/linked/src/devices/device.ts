// One linked device: pairing, connecting, staying connected.
import type { AuthenticationCreds } from "baileys";
import { baileysLogger } from "../baileys/logger.js";
import { type PairingMethod, PairingSteps } from "../pairing/pairing_steps.js";
import { atMost, type Chance, type Clock } from "../process/clock.js";
import { errorName, harmless } from "../process/log.js";
import type { TimedCache } from "../process/timed_cache.js";
import { ProtocolError } from "../protocol/errors.js";
import type { DeviceState, Gateway, Run } from "../protocol/gateway.js";
import { Acks } from "../sending/acks.js";
import type { Outgoing } from "../sending/content.js";
import { type NumberCache, Numbers } from "../sending/numbers.js";
import { Restriction } from "../sending/restriction.js";
import { Sender } from "../sending/sender.js";
import { uploadCache } from "../sending/upload.js";
import {
  isPaired,
  loadCredentials,
  newCredentials,
  voidCredentials,
} from "../store/credentials.js";
import { DeviceStore } from "../store/device_store.js";
import { details, reasons } from "../texts.js";
import { BackOff } from "./back_off.js";
import { type Close, consequence } from "./close_reasons.js";
import { Connection, type ConnectionParts } from "./connection.js";
import type { PlatformSettings } from "./settings.js";
import type { StartRate } from "./start_rate.js";

/// The dependencies that all devices share.
export interface Surroundings {
  gateway: Gateway;
  clock: Clock;
  chance: Chance;
  numberCache: NumberCache;
  settings: PlatformSettings;
  startRate: StartRate;
  /// Makes a connection; tests replace it.
  connect: (parts: ConnectionParts) => Connection;
}

/// The state from one start to its end: a stop, the next start, or a close that needs a person.
interface Life {
  signal: AbortSignal;
  end: () => void;
  run: Run;
  /// Says and stores for this start of the device.
  gateway: Gateway;
  pairing: PairingMethod | undefined;
  credentials: AuthenticationCreds | undefined;
  paired: boolean;
  begunAt: number;
}

const LOGOUT_MS_MAX = 5_000;
const PAIRING_MS_MAX = 300_000; // Of all connections of one pairing together.

/// Operation: `start` connects or pairs the device. The device then reconnects by itself until
/// `stop`, or until the platform ends the link. It reports states and pairing steps to the gateway.
/// Errors of a call reach only its caller. All that a device reports and stores carries the
/// generation of its latest `adopt`.
///
/// The caller of `adopt`, `start`, `stop` and `forget` waits for each before it calls the next.
///
/// Limits: one connection, one pairing at a time.
export class Device {
  private life: Life | undefined;
  private connection: Connection | undefined;
  private readonly backOff: BackOff;
  private readonly acks: Acks;
  private readonly numbers: Numbers;
  private readonly sender: Sender;
  private readonly restriction: Restriction;
  private readonly uploads: TimedCache;
  private generation: number | undefined;
  private openedAt = 0;
  private storeClosed: Promise<void> = Promise.resolve();

  constructor(
    readonly number: string,
    private readonly around: Surroundings,
  ) {
    const { clock, chance } = around;
    this.numbers = new Numbers(clock, around.numberCache);
    this.backOff = new BackOff(chance);
    this.acks = new Acks(clock);
    this.uploads = uploadCache(clock);
    this.restriction = new Restriction(clock, () => {
      if (this.life && this.connection?.isOpen) {
        this.reportOnline(this.life);
      }
    });
    this.sender = new Sender(clock, chance, this.numbers, this.acks, {
      device: number,
      fail: (error) => this.connection?.end(error),
    });
  }

  /// The generation of the start that follows. A device that is started has it from now on: after
  /// the answer to that start the gateway takes no earlier one.
  adopt(generation: number | undefined): void {
    this.generation = generation;
    if (this.life) {
      this.life.run.generation = generation;
    }
  }

  start(pairing?: PairingMethod): void {
    if (this.life && this.connection?.isOpen) {
      this.reportOnline(this.life);
      return;
    }
    const paired = this.life?.paired === true;
    if (this.life && (paired || !pairing)) {
      const state = paired ? "reconnecting" : "pairing";
      const reason = paired ? reasons.connecting : reasons.awaitingLink;
      this.report(this.life, state, reason);
      return;
    }
    this.endLife();
    const run: Run = { generation: this.generation, over: () => this.runIsOver(run) };
    this.life = this.newLife(run, pairing);
    void this.connect(this.life);
  }

  /// Resolves when no more frames leave and all writes to the store have ended.
  async stop(): Promise<void> {
    this.endLife();
    await this.storeClosed;
  }

  /// Logs out. The gateway itself removes the values of a device that it forgets.
  async forget(): Promise<void> {
    const connection = this.connection;
    if (connection?.isOpen) {
      this.life?.end();
      await atMost(this.around.clock, LOGOUT_MS_MAX, connection.logOut());
    }
    await this.stop();
  }

  async send(outgoing: Outgoing): Promise<string> {
    const { connection, life } = this.online();
    return this.sender.send(connection, outgoing, life.signal);
  }

  async isRegistered(number: string): Promise<boolean> {
    const { connection, life } = this.online();
    return (await this.numbers.find(number, connection.lookUp, life.signal)) !== null;
  }

  /// What a person entered for a pairing step. Errors: ProtocolError `invalid`.
  async answer(answer: string): Promise<void> {
    if (!this.connection) {
      throw new ProtocolError("invalid", details.notPairing);
    }
    await this.connection.answerPasskey(answer);
  }

  private online(): { connection: Connection; life: Life } {
    if (!this.connection?.isOpen || !this.life) {
      throw new ProtocolError("device_down", details.deviceDown);
    }
    return { connection: this.connection, life: this.life };
  }

  /// The gateway has started the device anew, or stopped it, without this one knowing.
  private runIsOver(run: Run): void {
    if (this.life?.run === run) {
      this.log("warn", "the gateway counts this start of the device as over: disconnecting");
      this.endLife();
    }
  }

  private newLife(run: Run, pairing: PairingMethod | undefined): Life {
    const controller = new AbortController();
    return {
      signal: controller.signal,
      end: () => controller.abort(),
      run,
      gateway: this.around.gateway.forRun(run),
      pairing,
      credentials: undefined,
      paired: false,
      begunAt: this.around.clock.now(),
    };
  }

  private endLife(): void {
    this.life?.end();
    this.life = undefined;
    const { connection } = this;
    this.letGo(connection);
    connection?.end();
  }

  private async connect(life: Life): Promise<void> {
    await this.around.startRate.enter(life.signal);
    if (life.signal.aborted) {
      return;
    }
    try {
      await this.prepare(life);
    } catch (error) {
      this.log("warn", `the credentials cannot be read: ${errorName(error)}`);
      this.retry(life, reasons.storeUnreachable);
      return;
    }
    if (life.signal.aborted || !life.credentials) {
      return;
    }
    const { clock, settings } = this.around;
    const { gateway } = life;
    const steps = new PairingSteps(gateway, this.number, life.pairing ?? "qr");
    try {
      const connection: Connection = this.around.connect({
        device: this.number,
        credentials: life.credentials,
        gateway,
        clock,
        settings,
        logger: baileysLogger(gateway, this.number),
        acks: this.acks,
        uploads: this.uploads,
        restriction: this.restriction,
        opened: () => this.opened(life),
        qr: (text) => void steps.next(connection, text),
        passkey: (options) => steps.passkey(options),
        closed: (close) => this.closed(life, close),
      });
      this.connection = connection;
    } catch (error) {
      this.log("error", `no connection can be made: ${errorName(error)}`);
      this.retry(life, reasons.notOpened);
    }
  }

  /// Loads or creates the credentials. If a person must pair the device again first, ends the life
  /// without credentials.
  private async prepare(life: Life): Promise<void> {
    await this.storeClosed;
    if (isPaired(life.credentials)) {
      return;
    }
    const loaded = await loadCredentials(new DeviceStore(life.gateway, this.number));
    if (life.signal.aborted) {
      return;
    }
    if (isPaired(loaded.credentials)) {
      life.credentials = loaded.credentials;
      life.paired = true;
      return;
    }
    if (loaded.loggedOut && !life.pairing) {
      this.finish(life, "logged_out", reasons.unlinked);
      return;
    }
    life.credentials = newCredentials();
  }

  private opened(life: Life): void {
    if (!life.signal.aborted) {
      this.openedAt = this.around.clock.now();
      this.reportOnline(life);
    }
  }

  private reportOnline(life: Life): void {
    const { until, reason } = this.restriction;
    if (until === undefined || !this.around.settings.restricted) {
      this.report(life, "connected");
    } else {
      this.report(life, "restricted", reason, undefined, until);
    }
  }

  /// The next connection waits until this one has written its values.
  private letGo(connection: Connection | undefined): void {
    this.connection = undefined;
    if (connection) {
      this.storeClosed = Promise.all([this.storeClosed, connection.store.close()]).then(() => {});
    }
  }

  private closed(life: Life, close: Close): void {
    if (life.signal.aborted) {
      return;
    }
    this.letGo(this.connection);
    if (this.openedAt > 0) {
      this.backOff.held(this.around.clock.now() - this.openedAt);
      this.openedAt = 0;
    }
    life.paired = isPaired(life.credentials);
    const late = this.around.clock.now() - life.begunAt > PAIRING_MS_MAX;
    const next = consequence(close, life.paired, late);
    const code = close.code >= 100 ? String(close.code) : undefined;
    const why = close.text === "" ? "" : `: ${harmless(close.text)}`;
    const level = next.kind === "restart" ? "debug" : "info";
    this.log(level, `connection closed, code ${close.code}${why}`);
    switch (next.kind) {
      case "restart":
        void this.connect(life);
        return;
      case "retry":
        // Read them again: the credentials in memory may be ahead of the stored ones.
        life.credentials = undefined;
        this.retry(life, next.reason, code);
        return;
      case "end":
        void this.endFor(life, next.state, next.reason, next.forget, code);
        return;
    }
  }

  /// Reports the end first, and then removes the credentials.
  private async endFor(
    life: Life,
    state: DeviceState,
    reason: string,
    forget: boolean,
    code: string | undefined,
  ): Promise<void> {
    this.finish(life, state, reason, code);
    if (forget) {
      const forgotten = this.storeClosed
        .then(() => voidCredentials(life.gateway, this.number))
        .catch((error: unknown) =>
          this.log("warn", `the void credentials are still kept: ${errorName(error)}`),
        );
      // `stop` and the next start wait for this.
      this.storeClosed = forgotten;
      await forgotten;
    }
  }

  private finish(life: Life, state: DeviceState, reason: string, code?: string): void {
    life.end();
    if (this.life === life) {
      this.life = undefined;
    }
    this.report(life, state, reason, code);
  }

  private retry(life: Life, reason: string, code?: string): void {
    const pairing = !life.paired && life.pairing;
    this.report(life, pairing ? "pairing" : "reconnecting", reason, code);
    const cancel = this.around.clock.after(this.backOff.next(), () => {
      if (!life.signal.aborted) {
        void this.connect(life);
      }
    });
    life.signal.addEventListener("abort", cancel, { once: true });
  }

  private report(
    life: Life,
    state: DeviceState,
    reason = "",
    code?: string,
    until?: number,
  ): void {
    life.gateway.state(this.number, state, reason, code, until).catch((error: unknown) => {
      this.log("warn", `the gateway does not take the state ${state}: ${errorName(error)}`);
    });
  }

  private log(level: "debug" | "info" | "warn" | "error", text: string): void {
    this.around.gateway.log(level, text, this.number);
  }
}
