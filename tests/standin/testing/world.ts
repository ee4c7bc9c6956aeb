// A stand-in and its clients, for one test file.
import type { UserFacingSocketConfig } from "baileys";
import { silenceLibsignal } from "../phone/quiet.ts";
import { StandIn } from "../stand_in.ts";
import type { Event } from "../server/events.ts";
import { Client, type ClientState } from "./client.ts";

export class World {
  private readonly clients: Client[] = [];

  private constructor(readonly standIn: StandIn) {}

  static async create(): Promise<World> {
    silenceLibsignal();
    return new World(await StandIn.start());
  }

  /** Makes a client that connects at once; without a state it is not linked. */
  client(state?: ClientState, options?: Partial<UserFacingSocketConfig>): Client {
    const client = new Client(this.standIn, state, options);
    this.clients.push(client);
    return client;
  }

  /** Makes a client that is linked to the number's phone and online. */
  async linked(number: string): Promise<Client> {
    const client = this.client();
    await this.standIn.phone(number).scan(await client.qr());
    await client.linked();
    return client;
  }

  /** Waits for the first event of that type with those details. */
  event(type: string, details: Record<string, unknown>, after = 0): Promise<Event> {
    const matches = (event: Event) =>
      event.type === type &&
      Object.entries(details).every(([name, value]) => event[name] === value);
    return this.standIn.events.wait(`${type} ${JSON.stringify(details)}`, matches, after);
  }

  /** Violations of the protocol by clients, and queries that the stand-in does not know. */
  violations(): Event[] {
    return this.standIn.events.after(
      0,
      ({ type }) => type === "violation" || type === "unknown_query",
    );
  }

  async end(): Promise<void> {
    await Promise.all(this.clients.map((client) => client.end()));
    await this.standIn.end();
  }
}
