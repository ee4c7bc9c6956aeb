// The platform's restriction of a device: until when it may begin no new chats.
import type { NewChatMessageCapInfo, ReachoutTimelockState } from "baileys";
import type { Clock } from "../process/clock.js";
import { ProtocolError } from "../protocol/errors.js";
import { reasons } from "../texts.js";

// The platform's clients take a lock without an end for this long.
const LOCK_MS = 60_000;

/// Two restrictions with ends of their own: a time-lock, and a cap of new chats. The later end
/// counts. It outlives connections.
///
/// Operation: `changed` is called when the end changed, and when it has come. During a restriction
/// `check` refuses a message to a number for which `mayWrite` is false.
export class Restriction {
  private locked = 0;
  private capped = 0;
  private cancelTimer = (): void => {};

  constructor(
    private readonly clock: Clock,
    private readonly changed: () => void,
  ) {}

  /// Undefined: there is none.
  get until(): number | undefined {
    const until = Math.max(this.locked, this.capped);
    return until > this.clock.now() ? until : undefined;
  }

  get reason(): string {
    return this.locked >= this.capped ? reasons.chatsLocked : reasons.chatsUsedUp;
  }

  noteTimeLock({ isActive, timeEnforcementEnds }: ReachoutTimelockState): void {
    const until = timeEnforcementEnds?.getTime() ?? this.clock.now() + LOCK_MS;
    this.set({ locked: isActive && Number.isSafeInteger(until) ? until : 0 });
  }

  noteCap({ capping_status: status, cycle_end_timestamp: end }: NewChatMessageCapInfo): void {
    const until = Number(end) * 1000;
    this.set({ capped: status === "CAPPED" && Number.isSafeInteger(until) ? until : 0 });
  }

  /// Errors: ProtocolError `restricted`.
  async check(mayWrite: () => Promise<boolean>): Promise<void> {
    if (this.until !== undefined && !(await mayWrite())) {
      this.refuse();
    }
  }

  /// Throws ProtocolError `restricted` during a restriction.
  refuse(platformCode?: string): void {
    const { until } = this;
    if (until !== undefined) {
      throw new ProtocolError("restricted", this.reason, platformCode, undefined, until);
    }
  }

  private set(ends: { locked?: number; capped?: number }): void {
    const before = this.until;
    Object.assign(this, ends);
    const { until } = this;
    if (before === until) {
      return;
    }
    this.cancelTimer();
    if (until !== undefined) {
      this.cancelTimer = this.clock.after(until - this.clock.now(), () => this.changed());
    }
    this.changed();
  }
}
