// Asks the platform whether a number is registered, and reads its answer.
import {
  type BinaryNode,
  getBinaryNodeChild,
  getBinaryNodeChildren,
  jidNormalizedUser,
} from "baileys";

const PLATFORM = "@s.whatsapp.net";

export function contactQuery(number: string, sid: string): BinaryNode {
  const user = node("user", {}, [node("contact", {}, `+${number}`)]);
  const attrs = { context: "interactive", mode: "query", sid, last: "true", index: "0" };
  const usync = node("usync", attrs, [
    node("query", {}, [node("contact", {})]),
    node("list", {}, [user]),
  ]);
  return node("iq", { to: PLATFORM, type: "get", xmlns: "usync" }, [usync]);
}

/// The number's address. Null: the platform says explicitly that it is not registered. Undefined:
/// the answer says neither, for instance because the look-up of this number failed. Baileys' own
/// query does not tell the last two apart.
export function contactOf(answer: BinaryNode): string | null | undefined {
  const usync = getBinaryNodeChild(answer, "usync");
  const list = getBinaryNodeChild(usync, "list");
  const [user, ...others] = getBinaryNodeChildren(list, "user");
  if (!user || others.length > 0) {
    return undefined;
  }
  const contact = getBinaryNodeChild(user, "contact");
  switch (contact?.attrs["type"]) {
    case "in":
      return user.attrs["jid"] ? jidNormalizedUser(user.attrs["jid"]) : undefined;
    case "out":
      return null;
    default:
      return undefined;
  }
}

function node(
  tag: string,
  attrs: Record<string, string>,
  content?: BinaryNode["content"],
): BinaryNode {
  return content === undefined ? { tag, attrs } : { tag, attrs, content };
}
