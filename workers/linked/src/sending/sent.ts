// The stored record of a sent message: its content, for a recipient who could not decrypt it and
// asks again, and the gateway's message, to which receipts belong. It survives a restart.
import { proto } from "baileys";

/// `message`: undefined for a part that precedes the message itself.
export function sentText(message: string | undefined, content: proto.IMessage): string {
  const encoded = Buffer.from(proto.Message.encode(content).finish()).toString("base64");
  return message === undefined ? encoded : `${message} ${encoded}`;
}

export function contentOfSent(text: string): proto.IMessage {
  return proto.Message.decode(Buffer.from(text.slice(text.indexOf(" ") + 1), "base64"));
}

export function messageOfSent(text: string): string | undefined {
  const end = text.indexOf(" ");
  return end < 0 ? undefined : text.slice(0, end);
}
