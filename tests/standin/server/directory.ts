// All accounts, found by number and by LID.
import { parseJid } from "../wire/jid.ts";
import { Account, type Device } from "./account.ts";

/** LIDs are unrelated to numbers; these only have the length of real ones. */
const firstLid = 100_000_000_000_000n;

export class Directory {
  private readonly numbers = new Map<string, Account>();
  private readonly lids = new Map<string, Account>();

  /** The account of a number; creates it if there is none. */
  open(number: string, furnish: (account: Account) => void): Account {
    const known = this.numbers.get(number);
    if (known) return known;
    const lid = firstLid + BigInt(this.numbers.size + 1) * 7919n;
    const account = new Account(number, lid.toString());
    furnish(account);
    this.numbers.set(number, account);
    this.lids.set(account.lid, account);
    return account;
  }

  byNumber(number: string): Account | undefined {
    return this.numbers.get(number);
  }

  byJid(text: string): Account | undefined {
    const jid = parseJid(text);
    if (!jid) return undefined;
    return jid.server === "lid" ? this.lids.get(jid.user) : this.numbers.get(jid.user);
  }

  device(text: string): Device | undefined {
    return this.byJid(text)?.devices.get(parseJid(text)?.device ?? 0);
  }

  all(): Account[] {
    return [...this.numbers.values()];
  }
}
