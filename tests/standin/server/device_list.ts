// Notifies the companions that know an account's devices when one is added or removed.
import { node } from "../wire/node.ts";
import type { Account } from "./account.ts";
import { seconds } from "./identity.ts";

let announcements = 0;

export function announce(account: Account, change: "add" | "remove", id: number): void {
  for (const [companion, servers] of account.watchers) {
    if (!companion.isLinked) account.watchers.delete(companion);
    if (!companion.isLinked || (companion.account === account && companion.id === id)) continue;
    for (const server of servers) {
      const from = account.jid(server);
      const device = node("device", { jid: account.jid(server, id), "key-index": String(id) });
      const t = String(seconds());
      const attrs = { from, id: `devices-${++announcements}`, t, type: "devices" };
      companion.deliver(node("notification", attrs, [node(change, {}, [device])]));
    }
  }
}
