// Addresses: USER@SERVER names an account, USER:DEVICE@SERVER one of its devices. Device 0 is the
// phone, and is omitted. An account has two users, its number and its LID.

export const platform = "@s.whatsapp.net";

export type Server = "s.whatsapp.net" | "lid";

export interface Jid {
  user: string;
  device: number;
  server: string;
}

const servers = [
  "s.whatsapp.net",
  "lid",
  "c.us",
  "g.us",
  "broadcast",
  "newsletter",
  "hosted",
  "hosted.lid",
  "bot",
  "call",
];
const form = /^([^@:\s]*)(?::(\d{1,3}))?@([a-z.]+)$/;

export function parseJid(text: string): Jid | undefined {
  const found = form.exec(text);
  const server = found?.[3];
  if (!found || server === undefined || !servers.includes(server)) return undefined;
  return { user: found[1] ?? "", device: Number(found[2] ?? "0"), server };
}

export function formatJid(user: string, device: number, server: string): string {
  return device === 0 ? `${user}@${server}` : `${user}:${device}@${server}`;
}
