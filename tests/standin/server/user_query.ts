// Queries about users ("usync"): whether a number is registered, its LID, its devices.
import { child, children, node, ProtocolError, type Node } from "../wire/node.ts";
import { parseJid } from "../wire/jid.ts";
import type { Account } from "./account.ts";
import type { Companion } from "./companion.ts";
import type { Directory } from "./directory.ts";
import type { Phone } from "../phone/phone.ts";
import { seconds } from "./identity.ts";

/** Answers to look-ups that say nothing of the number: without it, or with an error instead. */
export const lookUpFaults = ["missing", "error"] as const;
export type LookUpFault = (typeof lookUpFaults)[number];

export function queryUsers(
  directory: Directory,
  from: Companion,
  query: Node,
  fault?: LookUpFault,
): Node[] {
  const asked = child(query, "usync");
  const what = asked && child(asked, "query");
  const list = asked && child(asked, "list");
  if (!what || !list) throw new ProtocolError("a query about users without users");
  const protocols = children(what).map(({ tag }) => tag);
  const unclear = protocols.includes("contact") ? fault : undefined;
  const users = children(list, "user").flatMap((user) =>
    unclear === "missing" ? [] : [answer(directory, from, user, protocols, unclear)],
  );
  const { sid, index, last, mode, context } = asked.attrs;
  const states = protocols.map((tag) => node(tag, tag === "contact" ? { version: "1" } : {}));
  return [
    node("usync", { sid, index, last, mode, context }, [
      node("result", {}, states),
      node("list", {}, users),
    ]),
  ];
}

function answer(
  directory: Directory,
  from: Companion,
  user: Node,
  protocols: string[],
  fault?: LookUpFault,
): Node {
  const jid = user.attrs["jid"] ?? jidOfContact(user);
  const account = directory.byJid(jid);
  const here = account?.registered ? account : undefined;
  if (here && protocols.includes("devices")) {
    here.watch(from, parseJid(jid)?.server === "lid" ? "lid" : "s.whatsapp.net");
  }
  const content = protocols.flatMap((protocol) => {
    if (protocol === "contact" && fault) return [node("contact", {}, [internalError])];
    const found = about(protocol, here, jid);
    return found ? [found] : [];
  });
  return node("user", { jid }, content);
}

const internalError = node("error", { code: "500", text: "internal-server-error" });

function jidOfContact(user: Node): string {
  const contact = child(user, "contact");
  const phone = contact?.content;
  const number = phone instanceof Uint8Array ? Buffer.from(phone).toString() : phone;
  if (typeof number !== "string") throw new ProtocolError("a user without an address");
  return `${number.replace(/^\+/, "")}@s.whatsapp.net`;
}

function about(protocol: string, account: Account | undefined, jid: string): Node | undefined {
  if (protocol === "contact") return node("contact", { type: account ? "in" : "out" });
  if (!account) return undefined;
  if (protocol === "devices") return devices(account);
  if (protocol === "lid" && parseJid(jid)?.server !== "lid") {
    return node("lid", { val: account.jid("lid") });
  }
  return undefined;
}

function devices(account: Account): Node {
  const list = [...account.devices.keys()].map((id) =>
    node("device", { id: String(id), "key-index": id === 0 ? undefined : String(id) }),
  );
  const phone = account.devices.get(0) as Phone;
  const signed = phone.signDeviceList();
  return node("devices", {}, [
    node("device-list", {}, list),
    node("key-index-list", { ts: String(seconds()) }, signed),
  ]);
}
