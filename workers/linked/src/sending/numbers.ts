// Looks up which numbers are on the platform. Too many look-ups get accounts banned, so answers are
// cached, and look-ups leave one by one.
import { type Clock, pause } from "../process/clock.js";
import { TimedCache } from "../process/timed_cache.js";
import { ProtocolError } from "../protocol/errors.js";
import { details } from "../texts.js";
import { nothingSent } from "./refusals.js";

/// The address of a number, or null: it is not registered. Undefined: the platform did not say.
export type LookUp = (number: string) => Promise<string | null | undefined>;

interface Asked {
  lookUp: LookUp;
  answer: Promise<string | null>;
}

const KEPT_MAX = 20_000;
const REGISTERED_MS = 24 * 3_600_000;
const UNREGISTERED_MS = 3_600_000;
const GAP_MS = 700;
const WAITING_MAX = 256;

/// Answers of the platform, shared by all devices.
///
/// Limits: 20,000 entries; a registered number is kept for a day, another one for an hour.
export class NumberCache {
  private readonly kept: TimedCache;

  constructor(clock: Clock) {
    this.kept = new TimedCache(clock, { entriesMax: KEPT_MAX, ms: REGISTERED_MS });
  }

  /// Undefined: not cached.
  get(number: string): string | null | undefined {
    return this.kept.get<string | null>(number);
  }

  keep(number: string, address: string | null): void {
    this.kept.set(number, address, address === null ? UNREGISTERED_MS : REGISTERED_MS);
  }
}

/// The look-ups of one device.
///
/// Operation: a cached answer is returned at once. Otherwise the number waits for its turn; callers
/// that ask for the same number on the same connection meanwhile share the answer. Look-ups of a
/// device start at least 700 ms apart. Devices do not wait for each other.
///
/// Limits: 256 numbers may wait; more are `throttled`.
export class Numbers {
  private readonly asked = new Map<string, Asked>();
  private turn: Promise<void> = Promise.resolve();
  private nextAt = 0;

  constructor(
    private readonly clock: Clock,
    private readonly cache: NumberCache,
  ) {}

  /// The address of a number; null: it is not registered. `lookUp` and `signal` belong to the
  /// caller's connection. Errors: ProtocolError.
  find(number: string, lookUp: LookUp, signal?: AbortSignal): Promise<string | null> {
    const known = this.cache.get(number);
    if (known !== undefined) {
      return Promise.resolve(known);
    }
    const asked = this.asked.get(number);
    // A look-up of an earlier connection fails with that connection.
    if (asked?.lookUp === lookUp) {
      return asked.answer;
    }
    if (this.asked.size >= WAITING_MAX) {
      return Promise.reject(
        new ProtocolError("throttled", details.tooManyLookUps, undefined, 10_000),
      );
    }
    const answer = this.inTurn(number, lookUp, signal).finally(() => {
      if (this.asked.get(number)?.answer === answer) {
        this.asked.delete(number);
      }
    });
    this.asked.set(number, { lookUp, answer });
    return answer;
  }

  private async inTurn(
    number: string,
    lookUp: LookUp,
    signal?: AbortSignal,
  ): Promise<string | null> {
    const before = this.turn;
    let done = (): void => {};
    this.turn = new Promise((resolve) => {
      done = resolve;
    });
    try {
      await before;
      const wait = this.nextAt - this.clock.now();
      if (wait > 0) {
        await pause(this.clock, wait, signal);
      }
      if (signal?.aborted) {
        throw new ProtocolError("device_down", details.deviceDown);
      }
      this.nextAt = this.clock.now() + GAP_MS;
      const address = await ask(number, lookUp);
      this.cache.keep(number, address);
      return address;
    } finally {
      done();
    }
  }
}

async function ask(number: string, lookUp: LookUp): Promise<string | null> {
  let address: string | null | undefined;
  try {
    address = await lookUp(number);
  } catch (error) {
    throw nothingSent(error);
  }
  if (address === undefined) {
    throw new ProtocolError("unavailable", details.lookUpUnanswered);
  }
  return address;
}
