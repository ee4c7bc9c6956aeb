// One client's WebSocket: the handshake, then nodes in both directions.
import type { WebSocket } from "ws";
import type { KeyPair } from "../crypto/curve.ts";
import { decodeNode } from "../wire/decoder.ts";
import { encodeNode } from "../wire/encoder.ts";
import { frame, FrameReader } from "../wire/frames.ts";
import type { Node } from "../wire/node.ts";
import type { Message } from "../wire/protobuf.ts";
import { Handshake, type Finished, type Transport } from "./handshake.ts";

/** Handles the events of connections. */
export interface ConnectionOwner {
  readonly serverKey: KeyPair;
  certificates(): Buffer;
  /** The handshake is done. The client has `clientKey`, and introduces itself in `payload`. */
  opened(connection: Connection, clientKey: Buffer, payload: Message): void;
  received(connection: Connection, node: Node): void;
  closed(connection: Connection): void;
  /** The client broke the protocol; the connection ends. */
  violated(connection: Connection, error: unknown): void;
}

export class Connection {
  private readonly reader = new FrameReader();
  private readonly handshake: Handshake;
  private answered = false;
  private transport: Transport | undefined;

  constructor(
    private readonly socket: WebSocket,
    private readonly owner: ConnectionOwner,
  ) {
    this.handshake = new Handshake(owner.serverKey);
    socket.on("message", (data: Buffer) => this.read(data));
    socket.on("close", () => owner.closed(this));
    socket.on("error", () => undefined); // "close" follows.
  }

  send(node: Node): void {
    if (!this.transport) throw new Error(`<${node.tag}> before the handshake's end`);
    if (this.socket.readyState !== this.socket.OPEN) return;
    this.socket.send(frame(this.transport.encrypt(encodeNode(node))));
  }

  /** Closes the connection, after sending `node` if it is given. */
  close(node?: Node): void {
    if (node) this.send(node);
    this.socket.close();
  }

  /** Cuts the connection without a closing frame, as a network failure does. */
  drop(): void {
    this.socket.terminate();
  }

  private read(data: Buffer): void {
    try {
      for (const piece of this.reader.read(data)) this.frame(piece);
    } catch (error) {
      this.owner.violated(this, error);
      this.drop();
    }
  }

  private frame(data: Buffer): void {
    if (this.transport) {
      this.owner.received(this, decodeNode(this.transport.decrypt(data)));
    } else if (this.answered) {
      this.finish(this.handshake.finish(data));
    } else {
      this.answered = true;
      const { reply, finished } = this.handshake.answer(data, this.owner.certificates());
      this.socket.send(frame(reply));
      if (finished) this.finish(finished);
    }
  }

  private finish({ clientKey, payload, transport }: Finished): void {
    this.transport = transport;
    this.owner.opened(this, clientKey, payload);
  }
}
