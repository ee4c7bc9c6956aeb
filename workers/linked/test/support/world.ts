// A stand-in, a gateway and its worker, with one paired device.
import { randomUUID } from "node:crypto";
import type { Line } from "../../src/protocol/lines.js";
import { FakeGateway } from "./fake_gateway.js";
import { configOf, event, startStandIn, type StandIn } from "./stand_in.js";

export class World {
  readonly device = "6281100000001";
  readonly friend = "6281234567890";

  private constructor(
    readonly standIn: StandIn,
    readonly gateway: FakeGateway,
  ) {}

  static async create(): Promise<World> {
    const standIn = await startStandIn();
    const gateway = new FakeGateway(configOf(standIn));
    gateway.start();
    await gateway.line("hello");
    const world = new World(standIn, gateway);
    standIn.setRegistered(world.friend, true);
    await world.pair(world.device);
    return world;
  }

  async pair(device: string): Promise<void> {
    const { gateway, standIn } = this;
    await gateway.ask("device.start", { device, pairing: "qr" });
    const step = await gateway.line("device.pairing", { device });
    await standIn.phone(device).scan(step["payload"] as string);
    await gateway.state(device, "connected");
    await event(standIn, "online", { number: device });
  }

  async restartWorker(): Promise<void> {
    const before = this.gateway.lines.length;
    await this.gateway.killAndRestart();
    await this.gateway.line("hello", {}, before);
    await this.gateway.ask("device.start", { device: this.device });
    await this.gateway.state(this.device, "connected", before);
  }

  send(fields: Line = {}): Promise<Line> {
    return this.gateway.ask("send", {
      device: this.device,
      message: randomUUID(),
      attempt: 1,
      to: this.friend,
      type: "text",
      text: "Halo",
      typing: false,
      ...fields,
    });
  }

  async end(): Promise<void> {
    await this.gateway.stop();
    await this.standIn.end();
  }
}
