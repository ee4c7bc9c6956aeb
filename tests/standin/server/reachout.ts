// What the platform lets an account begin: privacy tokens of contacts, time-locks, caps of chats.
import { randomBytes } from "node:crypto";
import { platform } from "../wire/jid.ts";
import { bytes, child, node, type Node } from "../wire/node.ts";
import type { Account } from "./account.ts";
import { Companion } from "./companion.ts";
import { seconds } from "./identity.ts";

/** A token that a contact gave an account: with it the account may write to the contact. */
export interface Token {
  token: Buffer;
  /** In seconds. */
  at: number;
}

/** The queries' ids, as clients name them. */
const timeLockQuery = "23983697327930364";
const cappingQuery = "24503548349331633";

let notices = 0;

export class Reachout {
  /** Whether every message to another account needs its token, not only those during a lock. */
  tokensRequired = false;

  /** Whether the platform refuses this message with 463: its sender would begin a chat. */
  refuses(from: Account, to: Account | undefined, sent: Node): boolean {
    if (!to || to === from || !(this.tokensRequired || isRestricted(from))) return false;
    const given = from.tokens.get(to);
    const shown = child(sent, "tctoken") && bytes(sent, "tctoken");
    return !given || !shown?.equals(given.token);
  }

  /** `issuer` trusts `account`: each of the account's companions gets the token. */
  trust(issuer: Account, account: Account): void {
    const given = { token: randomBytes(16), at: seconds() };
    account.tokens.set(issuer, given);
    const { token, at } = given;
    notify(account, (companion) => ({
      attrs: { type: "privacy_token", from: issuer.jid("lid"), sender_lid: issuer.jid("lid") },
      content: node("tokens", {}, [
        node(
          "token",
          { jid: account.jid("lid", companion.id), type: "trusted_contact", t: String(at) },
          token,
        ),
      ]),
    }));
  }

  /** Forbids the account to begin chats until a time in seconds; undefined: allows it again. */
  lock(account: Account, until: number | undefined): void {
    account.lockedUntil = until;
    this.tell(account, "NotificationUserReachoutTimelockUpdate", {
      xwa2_notify_account_reachout_timelock: timeLock(account),
    });
  }

  /** The account has used up its new chats until a time in seconds; undefined: it has not. */
  cap(account: Account, until: number | undefined): void {
    account.cappedUntil = until;
    this.tell(account, "MessageCappingInfoNotification", {
      xwa2_notify_new_chat_messages_capping_info_update: capping(account),
    });
  }

  /** The answer to a query that companions write as JSON; undefined: it is unknown. */
  answer(account: Account, id: string | undefined): Node | undefined {
    if (id === timeLockQuery) {
      return json("result", {}, { xwa2_fetch_account_reachout_timelock: timeLock(account) });
    }
    return id === cappingQuery
      ? json("result", {}, { xwa2_message_capping_info: capping(account) })
      : undefined;
  }

  private tell(account: Account, name: string, data: object): void {
    notify(account, () => ({
      attrs: { type: "mex", from: platform },
      content: json("update", { op_name: name }, data),
    }));
  }
}

function notify(
  account: Account,
  make: (companion: Companion) => { attrs: Record<string, string>; content: Node },
): void {
  for (const device of account.devices.values()) {
    if (device instanceof Companion) {
      const { attrs, content } = make(device);
      const id = `reach-${++notices}`;
      device.deliver(node("notification", { id, t: String(seconds()), ...attrs }, [content]));
    }
  }
}

function json(tag: string, attrs: Record<string, string>, data: object): Node {
  return node(tag, attrs, Buffer.from(JSON.stringify({ data })));
}

function isRestricted(account: Account): boolean {
  return Math.max(account.lockedUntil ?? 0, account.cappedUntil ?? 0) > Date.now() / 1000;
}

function timeLock({ lockedUntil }: Account): object {
  return lockedUntil === undefined
    ? { is_active: false }
    : {
        is_active: lockedUntil > Date.now() / 1000,
        time_enforcement_ends: String(lockedUntil),
        enforcement_type: "WEB_COMPANION_ONLY",
      };
}

function capping({ cappedUntil }: Account): object {
  const capped = (cappedUntil ?? 0) > Date.now() / 1000;
  return {
    total_quota: 100,
    used_quota: capped ? 100 : 0,
    cycle_start_timestamp: "0",
    cycle_end_timestamp: String(cappedUntil ?? 0),
    capping_status: capped ? "CAPPED" : "NONE",
  };
}
