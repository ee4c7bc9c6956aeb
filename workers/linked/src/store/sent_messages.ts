// What a device sent: the content, for a recipient who could not decrypt it and asks again, and the
// gateway's message, to which receipts belong.
import { proto } from "baileys";
import type { DeviceStore } from "./device_store.js";

/// Operation: messages are found by the platform's id, also after a restart, until newer ones take
/// their place.
export class SentMessages {
  constructor(private readonly store: DeviceStore) {}

  /// `message`: undefined for a part that precedes the message itself. A frame waits until this is
  /// durable.
  keep(id: string, message: string | undefined, content: proto.IMessage): void {
    const encoded = Buffer.from(proto.Message.encode(content).finish()).toString("base64");
    const text = message === undefined ? encoded : `${message} ${encoded}`;
    void this.store.write([{ kind: "sent", id, text }]).catch(() => {}); // The store reports it.
  }

  async contentOf(id: string): Promise<proto.IMessage | undefined> {
    const text = await this.textOf(id);
    return text === undefined
      ? undefined
      : proto.Message.decode(Buffer.from(text.slice(text.indexOf(" ") + 1), "base64"));
  }

  async messageOf(id: string): Promise<string | undefined> {
    const text = await this.textOf(id);
    return text?.includes(" ") ? text.slice(0, text.indexOf(" ")) : undefined;
  }

  private async textOf(id: string): Promise<string | undefined> {
    return (await this.store.read("sent", [id])).get(id);
  }
}
