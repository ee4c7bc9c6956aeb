// On behalf of what the code runs at this moment: which device, which send, which decryption.
import { AsyncLocalStorage } from "node:async_hooks";
import type { Hold } from "../store/key_store.js";
import { setJobScope } from "./job_queue.js";

export interface Scope {
  readonly device: string;
  /// Ends the device's connection, of which something failed that nobody caught.
  readonly fail: (error: Error) => void;
  /// Of a decryption: where its changes are kept back.
  readonly hold?: Hold;
  /// Of a send: set when something was encrypted, from when on it may have left.
  readonly send?: { encrypted: boolean };
}

const scopes = new AsyncLocalStorage<Scope>();

export function currentScope(): Scope | undefined {
  return scopes.getStore();
}

export function runIn<T>(scope: Scope, work: () => T): T {
  return scopes.run(scope, work);
}

setJobScope(() => currentScope()?.device ?? "");
