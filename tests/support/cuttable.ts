// A proxy between a browser and a gateway, whose connections can be cut and restored.
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";

export class Cuttable {
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();
  private cutNow = false;

  private constructor(port: number) {
    this.server = createServer((near) => {
      if (this.cutNow) return void near.resetAndDestroy();
      const far = connect(port, "127.0.0.1");
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const) {
        this.sockets.add(one);
        one.on("error", () => other.destroy());
        one.on("close", () => {
          this.sockets.delete(one);
          other.destroy();
        });
        one.pipe(other);
      }
    });
  }

  static async open(port: number): Promise<Cuttable> {
    const network = new Cuttable(port);
    await new Promise<void>((resolve) => network.server.listen(0, "127.0.0.1", resolve));
    return network;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  cut(): void {
    this.cutNow = true;
    for (const socket of this.sockets) socket.resetAndDestroy();
  }

  mend(): void {
    this.cutNow = false;
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
