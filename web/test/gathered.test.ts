import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Gathered } from "../src/live/gathered.ts";

/** A QueryClient whose answers come when the test says so. */
class Queries {
  cached: { queryKey: unknown[]; state: { data: unknown; fetchStatus?: string } }[] = [];
  rounds: string[][] = [];
  underWay = 0;
  private answer: () => void = () => undefined;

  isFetching = () => this.underWay;

  invalidateQueries = (filters: { predicate: (query: object) => boolean }) => {
    const names = ["messages", "callbacks", "keys", "session"].filter(
      (name) => !this.cached.some(({ queryKey }) => queryKey[0] === name),
    );
    const short = names.map((name) => ({ queryKey: [name], state: {} }));
    const old = [...short, ...this.cached].filter((query) => filters.predicate(query));
    this.rounds.push(old.map(({ queryKey }) => String(queryKey[0])));
    return new Promise<void>((resolve) => {
      this.answer = resolve;
    });
  };

  getQueryCache = () => ({
    findAll: ({ queryKey }: { queryKey?: unknown[] } = {}) =>
      this.cached.filter((query) => !queryKey || query.queryKey[0] === queryKey[0]),
  });

  setQueryData = (queryKey: unknown[], change: (data: unknown) => unknown) => {
    for (const query of this.cached) {
      if (query.queryKey[0] === queryKey[0]) query.state.data = change(query.state.data);
    }
  };

  async answered() {
    this.answer();
    await vi.advanceTimersByTimeAsync(0);
  }
}

let queries: Queries;
let gathered: Gathered;

beforeEach(() => {
  vi.useFakeTimers();
  queries = new Queries();
  gathered = new Gathered(queries as never, "acc_1");
});
afterEach(() => {
  gathered.stop();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const told = (type: string, data: unknown = null) => gathered.add({ type, data });

test("events of a moment make old once what they name", async () => {
  told("message.updated");
  told("message.updated");
  told("callback.attempt");
  await vi.advanceTimersByTimeAsync(500);
  expect(queries.rounds).toEqual([["messages", "callbacks"]]);
});

test("resync makes all old but the session", async () => {
  told("resync");
  await vi.advanceTimersByTimeAsync(500);
  expect(queries.rounds).toEqual([["messages", "callbacks", "keys"]]);
});

test("a round that takes long is not cut off, and what came meanwhile follows it", async () => {
  told("message.updated");
  await vi.advanceTimersByTimeAsync(500);
  for (let second = 0; second < 5; second += 1) {
    told("callback.attempt");
    await vi.advanceTimersByTimeAsync(1000);
  }
  expect(queries.rounds).toHaveLength(1);
  await queries.answered();
  await vi.advanceTimersByTimeAsync(500);
  expect(queries.rounds).toEqual([["messages"], ["callbacks"]]);
});

test("what was under way at an event may be from before it: it is fetched once more", async () => {
  told("message.updated");
  queries.underWay = 1;
  await vi.advanceTimersByTimeAsync(500);
  queries.underWay = 0;
  await queries.answered();
  await vi.advanceTimersByTimeAsync(500);
  expect(queries.rounds).toEqual([["messages"], ["messages"]]);
  await queries.answered();
  await vi.advanceTimersByTimeAsync(5000);
  expect(queries.rounds).toHaveLength(2);
});

test("an answer that never comes holds the next round up for a while only", async () => {
  told("message.updated");
  await vi.advanceTimersByTimeAsync(500);
  told("message.updated");
  await vi.advanceTimersByTimeAsync(10_500);
  expect(queries.rounds).toHaveLength(2);
});

const page = (...ids: string[]) => ({
  items: ids.map((id) => ({ id, state: "pending" })),
  next: "more",
});

/** A cached list, and the states of its rows. */
function listed(query: object, ...pages: ReturnType<typeof page>[]) {
  const list = { queryKey: ["messages", query], state: { data: { pages, pageParams: [] } } };
  queries.cached.push(list);
  return () => list.state.data.pages.flatMap(({ items }) => items.map(({ state }) => state));
}

/** Answers requests for messages, which are sent; the paths that were asked for. */
function answerMessages(): string[] {
  const asked: string[] = [];
  vi.stubGlobal("fetch", async ({ url }: Request) => {
    const path = new URL(url).pathname;
    asked.push(path);
    return new Response(JSON.stringify({ id: path.split("/").pop(), state: "sent" }));
  });
  return asked;
}

test("of a list with several pages only the rows that changed are read again", async () => {
  const asked = answerMessages();
  const states = listed({ state: "" }, page("a"), page("b", "c"));
  told("message.updated", { id: "b", state: "sent" });
  told("message.updated", { id: "of-no-page", state: "sent" });
  await vi.advanceTimersByTimeAsync(500);
  expect(queries.rounds).toEqual([[]]); // No list is fetched anew.
  expect(asked).toEqual(["/v1/messages/b"]);
  expect(states()).toEqual(["pending", "sent", "pending"]);
});

test("a row of a short list is set, and the list not fetched again for it", async () => {
  const asked = answerMessages();
  const states = listed({ account: "acc_1", state: "" }, page("a", "b"));
  told("message.updated", { id: "a", state: "sent" });
  await vi.advanceTimersByTimeAsync(500);
  expect(queries.rounds).toEqual([[]]);
  expect(asked).toEqual(["/v1/messages/a"]);
  expect(states()).toEqual(["sent", "pending"]);
});

test.each([
  ["the item is new", { state: "" }, ["new"]],
  ["its filter may exclude the row now", { state: "pending" }, ["a"]],
  ["many rows changed", { state: "" }, ["a", "b", "c", "d", "e"]],
  ["the event does not say which", { state: "" }, [undefined]],
])("a short list is fetched again if %s", async (_, query, ids) => {
  const asked = answerMessages();
  listed(query, page("a", "b", "c", "d", "e"));
  for (const id of ids) told("message.updated", id ? { id } : { many: 60 });
  await vi.advanceTimersByTimeAsync(500);
  expect(queries.rounds).toEqual([["messages"]]);
  expect(asked).toEqual([]);
});

test("a list under way is not set, because its answer may predate the event", async () => {
  const asked = answerMessages();
  listed({ state: "" }, page("a"));
  Object.assign(queries.cached[0]?.state ?? {}, { fetchStatus: "fetching" });
  told("message.updated", { id: "a" });
  await vi.advanceTimersByTimeAsync(500);
  expect(queries.rounds).toEqual([["messages"]]);
  expect(asked).toEqual([]);
});

test("a list that no page shows is read when it is shown, and none of its rows now", async () => {
  const asked = answerMessages();
  listed({ state: "" }, page("a"));
  Object.assign(queries.cached[0] ?? {}, { isActive: () => false });
  told("message.updated", { id: "a" });
  await vi.advanceTimersByTimeAsync(500);
  expect(queries.rounds).toEqual([["messages"]]);
  expect(asked).toEqual([]);
});

test("of what is shown about one item, only that of the event's item is read again", async () => {
  const about = (...queryKey: string[]) => ({ queryKey, state: { data: {} } });
  queries.cached = [about("message", "a"), about("message", "b"), about("timeline", "a", "sent")];
  told("message.updated", { id: "a", state: "sent" });
  await vi.advanceTimersByTimeAsync(500);
  expect(queries.rounds).toEqual([["messages", "message", "timeline"]]);
});

test("the recipients of a campaign that has ended are read, unless several pages are", async () => {
  const pages = (...all: object[]) => ({ data: { pages: all, pageParams: [] } });
  queries.cached = [
    { queryKey: ["recipients", "cmp_1", { state: "" }], state: pages(page()) },
    { queryKey: ["recipients", "cmp_1", { state: "failed" }], state: pages(page(), page()) },
    { queryKey: ["recipients", "cmp_2", { state: "" }], state: pages(page()) },
  ];
  told("campaign.state", { id: "cmp_1", state: "finished" });
  await vi.advanceTimersByTimeAsync(500);
  expect(queries.rounds).toEqual([["recipients"]]);
});

test("credit is shown from its event, without a request", async () => {
  const account = { name: "toko", credit: 7, tag: "x" };
  queries.cached = [{ queryKey: ["account", "acc_1"], state: { data: account } }];
  told("account.credit", { credit: 6 });
  expect(queries.cached[0]?.state.data).toEqual({ ...account, credit: 6 });
  await vi.advanceTimersByTimeAsync(500);
  expect(queries.rounds).toEqual([[]]);
});

test("the counts of a campaign are shown as the event has them, and nothing is read", async () => {
  const other = { id: "cmp_2", counts: { sent: 0 } };
  const pages = [{ items: [{ id: "cmp_1", counts: { sent: 0 } }, other] }];
  queries.cached = [
    { queryKey: ["campaigns", "acc_1"], state: { data: { pages } } },
    { queryKey: ["campaign", "cmp_1"], state: { data: { id: "cmp_1", name: "Promo" } } },
  ];
  told("campaign.progress", { id: "cmp_1", counts: { sent: 7 } });
  await vi.advanceTimersByTimeAsync(500);
  expect(queries.cached[0]?.state.data).toEqual({
    pages: [{ items: [{ id: "cmp_1", counts: { sent: 7 } }, other] }],
  });
  expect(queries.cached[1]?.state.data).toMatchObject({ name: "Promo", counts: { sent: 7 } });
  expect(queries.rounds).toEqual([]);
});
