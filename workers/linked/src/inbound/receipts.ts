// Reads receipts from the platform's raw nodes. Baileys' own events come late, or not at all while
// Baileys waits for a history.
import type { BinaryNode } from "baileys";
import { isOurs } from "../sending/content.js";

export interface Receipt {
  ids: string[];
  status: "delivered" | "read";
  at: number | undefined;
}

const IDS_MAX = 256;

/// Undefined: the node is not about messages that this gateway sent to another account. `own` says
/// whether an address belongs to this account.
export function receiptOf(
  node: BinaryNode,
  own: (address: string) => boolean,
): Receipt | undefined {
  const { id, type, from, participant, t } = node.attrs;
  const status = statusOf(type);
  if (!status || !id || !from || own(participant ?? from)) {
    return undefined;
  }
  const ids = [id, ...listed(node)].filter(isOurs).slice(0, IDS_MAX);
  return ids.length > 0 ? { ids, status, at: milliseconds(t) } : undefined;
}

export function milliseconds(seconds: string | undefined): number | undefined {
  const value = Number(seconds);
  return Number.isInteger(value) && value > 0 && value < 1e10 ? value * 1000 : undefined;
}

/// "inactive" comes from a device that nobody uses at the moment; the message has arrived there.
function statusOf(type: string | undefined): Receipt["status"] | undefined {
  switch (type) {
    case undefined:
    case "":
    case "inactive":
      return "delivered";
    case "read":
    case "played":
      return "read";
    default: // "retry", "sender", "read-self", "server-error" and future types.
      return undefined;
  }
}

function listed(node: BinaryNode): string[] {
  if (!Array.isArray(node.content)) {
    return [];
  }
  return node.content
    .filter((child) => child.tag === "list" && Array.isArray(child.content))
    .flatMap((list) => list.content as BinaryNode[])
    .map((item) => item.attrs["id"])
    .filter((id) => id !== undefined);
}
