// The stream inside the WebSocket: first the client's introduction, then frames, each after its
// length in three bytes. A WebSocket message may hold a part of a frame or several frames.
import { ProtocolError } from "./node.ts";

/** "WA", the version of the protocol, and that of the dictionary. */
export const introduction = Buffer.from([0x57, 0x41, 6, 3]);
const routing = Buffer.from("ED");

export class FrameReader {
  private pending: Buffer = Buffer.alloc(0);
  private introduced = false;

  /** Yields the frames that `piece` completes. */
  *read(piece: Uint8Array): Generator<Buffer> {
    this.pending = Buffer.concat([this.pending, piece]);
    if (!this.introduced && !this.skipIntroduction()) return;
    for (;;) {
      if (this.pending.length < 3) return;
      const length = this.pending.readUIntBE(0, 3);
      if (this.pending.length < 3 + length) return;
      const frame = this.pending.subarray(3, 3 + length);
      this.pending = this.pending.subarray(3 + length);
      yield frame;
    }
  }

  /** A returning client may send routing information before its introduction. */
  private skipIntroduction(): boolean {
    let at = 0;
    if (this.pending.subarray(0, 2).equals(routing)) {
      if (this.pending.length < 7) return false;
      at = 7 + this.pending.readUIntBE(4, 3);
    }
    const found = this.pending.subarray(at, at + introduction.length);
    if (found.length < introduction.length) return false;
    if (!found.equals(introduction)) throw new ProtocolError("an unknown introduction");
    this.pending = this.pending.subarray(at + introduction.length);
    this.introduced = true;
    return true;
  }
}

export function frame(data: Uint8Array): Buffer {
  const head = Buffer.alloc(3);
  head.writeUIntBE(data.length, 0, 3);
  return Buffer.concat([head, data]);
}
