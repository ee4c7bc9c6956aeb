// Answers the queries of companions ("iq"), by namespace, type and first child.
import { attribute, children, node, type Node } from "../wire/node.ts";
import { platform } from "../wire/jid.ts";
import type { Companion } from "./companion.ts";
import type { Directory } from "./directory.ts";
import type { Events } from "./events.ts";
import { countKeys, digestKeys, fetchKeys, rotateKey, uploadKeys } from "./key_queries.ts";
import { result } from "./pairing.ts";
import { queryUsers } from "./user_query.ts";

/** The parts of the platform that queries use. */
export interface QueryContext {
  directory: Directory;
  events: Events;
  mediaHost(): string;
  unlink(companion: Companion): void;
}

type Handler = (context: QueryContext, from: Companion, query: Node) => Node[];

const nothing: Handler = () => [];
const media = { auth: "stand-in", ttl: "3600", auth_ttl: "3600", max_buckets: "12" };

const handlers: Record<string, Handler> = {
  "w:p get ping": nothing,
  "w:p get ": nothing,
  "w:stats  add": nothing,
  "w:stats set add": nothing,
  "passive set active": (_, from) => {
    from.activate();
    return [];
  },
  "passive set passive": nothing,
  "abt get props": () => [node("props", { protocol: "1", ab_key: "stand-in" }, [])],
  "w get props": () => [node("props", { version: "1" }, [])],
  "blocklist get ": () => [node("list", {}, [])],
  "privacy get privacy": () => [node("privacy", {}, privacy())],
  "privacy set tokens": nothing,
  "urn:xmpp:whatsapp:dirty set clean": nothing,
  "urn:xmpp:whatsapp:push set config": nothing,
  "status get status": nothing,
  "disappearing_mode set disappearing_mode": nothing,
  "w:biz get business_profile": nothing,
  "w:sync:app:state set sync": (_context, _from, query) => [emptyCollections(query)],
  "w:m set media_conn": ({ mediaHost }) => [
    node("media_conn", media, [node("host", { hostname: mediaHost(), type: "primary" })]),
  ],
  "encrypt get count": (_, from) => countKeys(from),
  "encrypt get digest": (_, from) => digestKeys(from),
  "encrypt get key": ({ directory }, _, query) => fetchKeys(directory, query),
  "encrypt set registration": (_, from, query) => uploadKeys(from, query),
  "encrypt set rotate": (_, from, query) => rotateKey(from, query),
  "usync get usync": ({ directory }, from, query) => queryUsers(directory, from, query),
  "md set remove-companion-device": (context, from) => {
    context.unlink(from);
    return [];
  },
};

/** Answers a query. An unknown query gets an error, and adds an event. */
export function answerQuery(context: QueryContext, from: Companion, query: Node): void {
  const asked = children(query)[0]?.tag ?? "";
  const name = `${query.attrs["xmlns"] ?? ""} ${query.attrs["type"] ?? ""} ${asked}`;
  const handler = handlers[name];
  if (handler) {
    from.connection?.send(result(query, handler(context, from, query)));
    return;
  }
  context.events.add("unknown_query", { number: from.account.number, query: name });
  const error = node("error", { code: "501", text: "feature-not-implemented" });
  const attrs = { from: platform, type: "error", id: attribute(query, "id") };
  from.connection?.send(node("iq", attrs, [error]));
}

function privacy(): Node[] {
  const names = ["readreceipts", "profile", "status", "online", "last", "groupadd", "calladd"];
  return names.map((name) => node("category", { name, value: "all" }));
}

/** Every collection of the app state is empty. */
function emptyCollections(query: Node): Node {
  const asked = children(children(query)[0] ?? query, "collection");
  const empty = asked.map(({ attrs }) =>
    node("collection", { name: attrs["name"], version: "0", has_more_patches: "false" }),
  );
  return node("sync", {}, empty);
}
