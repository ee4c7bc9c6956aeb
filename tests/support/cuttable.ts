// A proxy in front of a server, whose connections can be cut or silenced, and restored.
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { Transform } from "node:stream";

/** Where a connection ends: before or after the server gets what its client has just sent. */
export type Cut = "before" | "after";

export class Cuttable {
  /** Asked about each piece that a client sends. */
  rule: (piece: Buffer) => Cut | undefined = () => undefined;
  private readonly target: string | number;
  private readonly server: Server;
  private readonly clients = new Set<Socket>();
  private readonly held: (() => void)[] = [];
  private cutNow = false;
  private silentNow = false;

  private constructor(target: string | number) {
    this.target = target;
    this.server = createServer((near) => {
      if (this.cutNow) near.resetAndDestroy();
      else this.join(near);
    });
  }

  /** `target`: a port of this machine, or the path of a socket. */
  static async open(target: string | number): Promise<Cuttable> {
    const network = new Cuttable(target);
    await new Promise<void>((resolve) => network.server.listen(0, "127.0.0.1", resolve));
    return network;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Ends all connections, and refuses others. */
  cut(): void {
    this.cutNow = true;
    for (const near of this.clients) near.resetAndDestroy();
  }

  /** Keeps back whatever either side sends, as a network does that loses every packet. */
  silence(): void {
    this.silentNow = true;
  }

  /** Lets through what was kept back, and new connections. */
  mend(): void {
    this.cutNow = false;
    this.silentNow = false;
    for (const go of this.held.splice(0)) go();
  }

  async close(): Promise<void> {
    this.mend();
    this.cut();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private join(near: Socket): void {
    const { target } = this;
    const far = typeof target === "string" ? connect(target) : connect(target, "127.0.0.1");
    this.clients.add(near);
    near.on("close", () => this.clients.delete(near));
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      one.on("error", () => {}); // It closes, too.
      one.on("close", () => this.pass(() => other.destroy()));
    }
    near.pipe(this.gate((piece) => this.cutAt(piece, near, far))).pipe(far);
    far.pipe(this.gate(() => false)).pipe(near);
  }

  /** What passes one way; `ends` says that the connection ends with a piece. */
  private gate(ends: (piece: Buffer) => boolean): Transform {
    return new Transform({
      transform: (piece: Buffer, _encoding, done) =>
        this.pass(() => {
          if (!ends(piece)) done(null, piece);
        }),
      flush: (done) => this.pass(done),
    });
  }

  private pass(go: () => void): void {
    if (this.silentNow) this.held.push(go);
    else go();
  }

  private cutAt(piece: Buffer, near: Socket, far: Socket): boolean {
    const cut = this.rule(piece);
    if (cut === "before") near.resetAndDestroy();
    if (cut === "after") {
      far.unpipe(); // Nobody gets the answer.
      far.end(piece, () => near.resetAndDestroy());
    }
    return cut !== undefined;
  }
}
