// The asynchronous context of running code: its device, its send, its decryption.
import { AsyncLocalStorage } from "node:async_hooks";
import type { Hold } from "../store/key_store.js";
import { setJobScope } from "./job_queue.js";

export interface Scope {
  readonly device: string;
  /// Ends the device's connection after an error that nobody caught.
  readonly fail: (error: Error) => void;
  /// In a decryption: holds its changes back.
  readonly hold?: Hold;
  /// In a send: `encrypted` is set at the first encryption. From then on a frame may have left.
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
