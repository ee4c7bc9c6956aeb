import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Gathered } from "../src/live/gathered.ts";

/** A QueryClient whose answers come when the test says so. */
class Queries {
  cached: { queryKey: unknown[]; state: { data: unknown } }[] = [];
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
    findAll: ({ queryKey }: { queryKey: unknown[] }) =>
      this.cached.filter((query) => query.queryKey[0] === queryKey[0]),
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

test("of a list with several pages only the items that changed are read again", async () => {
  const asked: string[] = [];
  vi.stubGlobal("fetch", async ({ url }: Request) => {
    asked.push(new URL(url).pathname);
    return new Response(JSON.stringify({ id: "b", state: "sent" }));
  });
  const page = (...ids: string[]) => ({
    items: ids.map((id) => ({ id, state: "pending" })),
    next: "more",
  });
  const data = { pages: [page("a"), page("b", "c")], pageParams: [] };
  queries.cached = [{ queryKey: ["messages", {}], state: { data } }];
  told("message.updated", { id: "b", state: "sent" });
  told("message.updated", { id: "of-no-page", state: "sent" });
  await vi.advanceTimersByTimeAsync(500);
  expect(queries.rounds).toEqual([[]]); // No list is fetched anew.
  expect(asked).toEqual(["/v1/messages/b"]);
  const shown = queries.cached[0]?.state.data as typeof data;
  const items = shown.pages.flatMap(({ items }) => items);
  expect(items.map(({ state }) => state)).toEqual(["pending", "sent", "pending"]);
  vi.unstubAllGlobals();
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
