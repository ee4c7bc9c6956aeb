// The history that a phone sends to a new companion: a part in the message itself, which has the
// addresses of contacts, and a part at the media host, which has the chats.
import { createHash } from "node:crypto";
import { deflateSync } from "node:zlib";
import type { Account } from "../server/account.ts";
import { message } from "../wire/protobuf.ts";
import { sealMedia } from "./media.ts";

const bootstrap = 0;
const recent = 3;

/** The notices of a history, each the content of a message. `store` returns the media's path. */
export function historyNotices(account: Account, store: (sealed: Buffer) => string): Buffer[] {
  const contacts = [...account.tokens.keys()];
  const mappings = contacts.map((contact) =>
    message({ 1: contact.jid("s.whatsapp.net"), 2: contact.jid("lid") }),
  );
  const inline = deflateSync(message({ 1: bootstrap, 15: mappings }));
  const notices = [message({ 6: bootstrap, 7: 1, 9: 100, 11: inline })];
  if (contacts.length > 0) {
    const chats = contacts.map((contact) => chat(account, contact));
    const data = deflateSync(message({ 1: recent, 2: chats, 5: 2, 6: 100 }));
    const media = sealMedia("history", data, store);
    notices.push(
      message({
        ...{ 1: media.hash, 2: media.length, 3: media.key, 4: media.encryptedHash },
        ...{ 5: media.path, 6: recent, 7: 2, 9: 100 },
      }),
    );
  }
  return notices;
}

/** A chat with one message of the contact, and the contact's token. */
function chat(account: Account, contact: Account): Buffer {
  const { token, at } = account.tokens.get(contact)!;
  const id = createHash("md5").update(contact.number).digest("hex").toUpperCase();
  const key = message({ 1: contact.jid("lid"), 2: false, 3: `3A${id}` });
  const text = message({ 1: `riwayat dari ${contact.number}` });
  const shown = message({ 1: message({ 1: key, 2: text, 3: at }) });
  return message({
    ...{ 1: contact.jid("lid"), 2: [shown] },
    ...{ 21: token, 22: at, 28: at, 39: contact.jid("s.whatsapp.net") },
  });
}
