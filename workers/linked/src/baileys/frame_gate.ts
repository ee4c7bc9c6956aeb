// Holds frames to the platform back until the state that they depend on is durable.
import { WebSocketClient } from "baileys/lib/Socket/Client/websocket.js";

type Done = (error?: Error) => void;
type Send = (this: WebSocketClient, frame: string | Uint8Array, done?: Done) => boolean;

/// Holds the frames of one connection back, in their order, until `pending` and all promises given
/// to `hold` before them have resolved. If one of these rejects, its frame and all later ones fail:
/// their sequence numbers are used up, so the connection cannot continue.
export class FrameGate {
  private tail: Promise<void> | undefined;
  private holds: Promise<void> | undefined;
  private closed = false;

  constructor(private readonly pending: () => Promise<void> | undefined) {}

  /// Later frames wait for `durable` too.
  hold(durable: Promise<void>): void {
    durable.catch(() => {}); // A frame that waits for it reports it.
    const both = this.holds ? Promise.all([this.holds, durable]).then(() => {}) : durable;
    both.catch(() => {});
    this.holds = both;
    const forget = (): void => {
      if (this.holds === both) {
        this.holds = undefined;
      }
    };
    both.then(forget, () => {});
  }

  /// Calls `send` now or later, or `fail` instead.
  pass(send: () => void, fail: (error: Error) => void): void {
    const waits = [this.tail, this.holds, this.pending()].filter((wait) => wait !== undefined);
    if (waits.length === 0 && !this.closed) {
      send();
      return;
    }
    const mine = Promise.all(waits).then(() => {
      if (this.closed) {
        throw new Error("the connection is closed");
      }
      send();
    });
    const passed = mine.catch((error: unknown) => {
      this.closed = true;
      fail(error as Error);
    });
    this.tail = passed;
    void passed.then(() => {
      if (this.tail === passed) {
        this.tail = undefined;
      }
    });
  }
}

const gates = new WeakMap<object, FrameGate>();
let installed = false;

/// Puts `gate` before the connection that will be made with this authentication state.
export function guardFrames(auth: object, gate: FrameGate): void {
  installGates();
  gates.set(auth, gate);
}

/// Baileys offers no hook between encrypting a frame and writing it, so this replaces the method of
/// its client class that writes.
function installGates(): void {
  if (installed) {
    return;
  }
  installed = true;
  const write = WebSocketClient.prototype.send as Send;
  const guarded: Send = function (frame, done) {
    const gate = gates.get(this.config.auth);
    if (!gate) {
      return write.call(this, frame, done);
    }
    const fail = (error: Error): void => done?.(error);
    gate.pass(() => {
      if (!this.isOpen) {
        fail(new Error("the connection is closed"));
        return;
      }
      write.call(this, frame, done);
    }, fail);
    return true;
  };
  WebSocketClient.prototype.send = guarded as typeof WebSocketClient.prototype.send;
}
