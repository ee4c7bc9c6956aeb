// Which contacts a device may write to during a restriction: those who gave it a token, and those
// who wrote to it.
import { BufferJSON } from "baileys";
import { userOf } from "../platform/addresses.js";
import type { Clock } from "../process/clock.js";
import type { DeviceStore } from "./device_store.js";

// The platform's tokens are valid for about four weeks.
const TOKEN_MS = 28 * 24 * 3_600_000;
const WROTE_MS = 28 * 24 * 3_600_000;
const NOTED_AGAIN_MS = 24 * 3_600_000;

/// Operation: `wrote` stores a contact at most once a day. Contacts are named by number, or by the
/// digits that the platform uses instead.
export class Chats {
  constructor(
    private readonly store: DeviceStore,
    private readonly clock: Clock,
  ) {}

  async wrote(contact: string): Promise<void> {
    const id = userOf(contact);
    const last = Number((await this.store.read("wrote", [id])).get(id) ?? 0);
    if (this.clock.now() - last > NOTED_AGAIN_MS) {
      await this.store.write([{ kind: "wrote", id, text: String(this.clock.now()) }]);
    }
  }

  async mayWrite(number: string): Promise<boolean> {
    const mapped = (await this.store.read("lid-mapping", [number])).get(number);
    const names = [number];
    if (mapped !== undefined) {
      names.push(String(JSON.parse(mapped)));
    }
    const wrote = await this.store.read("wrote", names);
    const since = this.clock.now() - WROTE_MS;
    if ([...wrote.values()].some((at) => Number(at) > since)) {
      return true;
    }
    const addresses = [`${names[0]}@s.whatsapp.net`, `${names[1] ?? names[0]}@lid`];
    const tokens = await this.store.read("tctoken", addresses);
    return [...tokens.values()].some((text) => this.isValid(text));
  }

  private isValid(text: string): boolean {
    const { token, timestamp } = JSON.parse(text, BufferJSON.reviver) as {
      token?: Uint8Array;
      timestamp?: string | number;
    };
    return !!token?.length && Number(timestamp) * 1000 > this.clock.now() - TOKEN_MS;
  }
}
