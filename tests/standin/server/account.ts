// An account and its devices: its phone, number 0, and the companions linked to it.
import { formatJid, type Server } from "../wire/jid.ts";
import type { Node } from "../wire/node.ts";
import type { Companion } from "./companion.ts";
import type { Token } from "./reachout.ts";

export interface PreKey {
  id: number;
  key: Buffer;
}

export interface SignedPreKey extends PreKey {
  signature: Buffer;
}

/** The keys that are needed to begin a session with a device. */
export interface KeyBundle {
  registrationId: number;
  identityKey: Buffer;
  signedPreKey: SignedPreKey;
  preKey: PreKey | undefined;
  /** The signed identity of a companion. */
  deviceIdentity: Buffer | undefined;
}

/** A phone or a companion. */
export interface Device {
  readonly id: number;
  readonly account: Account;
  /** Removes a one-time pre-key, if one is left. */
  takeBundle(): KeyBundle;
  identityKey(): Buffer;
  /** Delivers a message, a receipt or a notification, which is kept until it is acknowledged. */
  deliver(node: Node): void;
  /** Delivers presence, which is lost if the device is not connected. */
  show(node: Node): void;
}

export class Account {
  readonly devices = new Map<number, Device>();
  readonly rawId = Math.floor(Math.random() * 0x7fffffff);
  /** Whether a look-up of the number finds it. */
  registered = true;
  /** The code with which every login is refused. */
  refusal: number | undefined;
  /** The companions that asked for its devices, and the kinds of address that they used. */
  readonly watchers = new Map<Companion, Set<Server>>();
  /** The tokens that it holds, by the accounts that gave them. */
  readonly tokens = new Map<Account, Token>();
  /** Until when it may begin no chats, in seconds: by a time-lock, or by its cap of new chats. */
  lockedUntil: number | undefined;
  cappedUntil: number | undefined;
  private deviceIds = 0;

  constructor(
    readonly number: string,
    readonly lid: string,
  ) {}

  watch(companion: Companion, server: Server): void {
    const servers = this.watchers.get(companion) ?? new Set();
    this.watchers.set(companion, servers.add(server));
  }

  get phone(): Device {
    const phone = this.devices.get(0);
    if (!phone) throw new Error(`${this.number} has no phone`);
    return phone;
  }

  nextDeviceId(): number {
    return ++this.deviceIds;
  }

  jid(server: Server, device = 0): string {
    return formatJid(server === "lid" ? this.lid : this.number, device, server);
  }

  /** The indexes of the companions' keys, which are the companions' numbers here. */
  keyIndexes(): number[] {
    return [...this.devices.keys()].filter((id) => id !== 0);
  }
}
