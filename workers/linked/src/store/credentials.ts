// A device's identity at the platform, as it is kept.
import { type AuthenticationCreds, BufferJSON, initAuthCreds } from "baileys";
import type { ValueStore } from "../protocol/gateway.js";
import type { DeviceStore } from "./device_store.js";
import { CREDENTIALS, VOID } from "./names.js";

export interface Loaded {
  /// Undefined: none are kept.
  credentials: AuthenticationCreds | undefined;
  /// True when there were some, which the platform does not take any more.
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

/// Credentials that are not paired yet are worth nothing after a restart: only paired ones are
/// kept.
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

/// Forgets everything of the device, and that it is logged out in the same step.
export function voidCredentials(values: ValueStore, device: string): Promise<void> {
  return values.put(device, { [VOID]: Buffer.from("1").toString("base64") }, true);
}

export function forgetCredentials(values: ValueStore, device: string): Promise<void> {
  return values.put(device, {}, true);
}
