// Loads and saves a device's identity at the platform.
import { type AuthenticationCreds, BufferJSON, initAuthCreds } from "baileys";
import type { ValueStore } from "../protocol/gateway.js";
import { CREDENTIALS, VOID } from "./buckets.js";
import type { DeviceStore } from "./device_store.js";

export interface Loaded {
  /// Undefined: none are stored.
  credentials: AuthenticationCreds | undefined;
  /// True: there were credentials, but the platform has logged the device out.
  loggedOut: boolean;
}

export async function loadCredentials(store: DeviceStore): Promise<Loaded> {
  const kept = await store.readValue(CREDENTIALS);
  if (kept) {
    const credentials = JSON.parse(kept.toString(), BufferJSON.reviver) as AuthenticationCreds;
    return { credentials, loggedOut: false };
  }
  return { credentials: undefined, loggedOut: (await store.readValue(VOID)) !== undefined };
}

/// Saves only paired credentials: others are useless after a restart.
export function saveCredentials(store: DeviceStore, credentials: AuthenticationCreds): void {
  if (isPaired(credentials)) {
    const kept = Buffer.from(JSON.stringify(credentials, BufferJSON.replacer));
    void store.writeValue(CREDENTIALS, kept).catch(() => {}); // The store reports it.
  }
}

export function newCredentials(): AuthenticationCreds {
  return initAuthCreds();
}

export function isPaired(credentials: AuthenticationCreds | undefined): boolean {
  return credentials?.account !== undefined && credentials.me?.id !== undefined;
}

/// Removes all values of the device and records the logout, in one step.
export function voidCredentials(values: ValueStore, device: string): Promise<void> {
  return values.put(device, { [VOID]: Buffer.from("1").toString("base64") }, true);
}
