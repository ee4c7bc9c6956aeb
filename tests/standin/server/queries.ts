// Answers the queries of companions ("iq"), by namespace, type and first child.
import { attribute, children, node, type Node } from "../wire/node.ts";
import { platform } from "../wire/jid.ts";
import type { Phone } from "../phone/phone.ts";
import type { Companion } from "./companion.ts";
import type { Directory } from "./directory.ts";
import type { Events } from "./events.ts";
import { countKeys, digestKeys, fetchKeys, rotateKey, uploadKeys } from "./key_queries.ts";
import { result } from "./pairing.ts";
import type { Reachout } from "./reachout.ts";
import { queryUsers, type LookUpFault } from "./user_query.ts";

/** The parts of the platform that queries use. */
export interface QueryContext {
  directory: Directory;
  events: Events;
  mediaHost(): string;
  /** Stores a file at the media host, and returns its path. */
  store(sealed: Buffer): string;
  reachout: Reachout;
  lookUpFault(): LookUpFault | undefined;
  unlink(companion: Companion): void;
}

/** Undefined: it does not know such a query. */
type Handler = (context: QueryContext, from: Companion, query: Node) => Node[] | undefined;

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
  "w:sync:app:state set sync": (context, from, query) => [collections(context, from, query)],
  "w:m set media_conn": ({ mediaHost }) => [
    node("media_conn", media, [node("host", { hostname: mediaHost(), type: "primary" })]),
  ],
  "encrypt get count": (_, from) => countKeys(from),
  "encrypt get digest": (_, from) => digestKeys(from),
  "encrypt get key": ({ directory }, _, query) => fetchKeys(directory, query),
  "encrypt set registration": (_, from, query) => uploadKeys(from, query),
  "encrypt set rotate": (_, from, query) => rotateKey(from, query),
  "usync get usync": ({ directory, lookUpFault }, from, query) =>
    queryUsers(directory, from, query, lookUpFault()),
  "w:mex get query": ({ reachout }, from, query) => {
    const answer = reachout.answer(from.account, children(query)[0]?.attrs["query_id"]);
    return answer && [answer];
  },
  "md set remove-companion-device": (context, from) => {
    context.unlink(from);
    return [];
  },
};

/** Answers a query. An unknown query gets an error, and adds an event. */
export function answerQuery(context: QueryContext, from: Companion, query: Node): void {
  const asked = children(query)[0]?.tag ?? "";
  const name = `${query.attrs["xmlns"] ?? ""} ${query.attrs["type"] ?? ""} ${asked}`;
  const answer = handlers[name]?.(context, from, query);
  if (answer) {
    from.connection?.send(result(query, answer));
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

/** The collections of the app state that are asked for. */
function collections({ events, store }: QueryContext, from: Companion, query: Node): Node {
  const { appState } = from.account.phone as Phone;
  const asked = children(children(query)[0] ?? query, "collection");
  const found = asked.map(({ attrs }) => appState.collection(attrs["name"] ?? "", store));
  events.add("app_state_asked", { number: from.account.number, collections: asked.length });
  return node("sync", {}, found);
}
