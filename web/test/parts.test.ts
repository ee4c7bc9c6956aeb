// Events that have a part of what is cached.
import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Gathered } from "../src/live/gathered.ts";

let queries: QueryClient;
let gathered: Gathered;

beforeEach(() => {
  vi.useFakeTimers();
  queries = new QueryClient();
  gathered = new Gathered(queries, "acc_1");
});
afterEach(() => {
  gathered.stop();
  queries.clear();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const ACCOUNT = ["account", "acc_1"];
const CAMPAIGN = ["campaign", "cmp_1"];
const counts = (sent: number) => ({ sent, queued: 9 - sent });

const EVENTS = [
  { queryKey: ACCOUNT, type: "account.credit", data: { credit: 6 }, old: { credit: 7 } },
  {
    queryKey: CAMPAIGN,
    type: "campaign.progress",
    data: { id: "cmp_1", counts: counts(2) },
    old: { id: "cmp_1", counts: counts(1) },
  },
];

test.each(EVENTS)("$type does not make the rest of $queryKey fresh", ({ queryKey, ...event }) => {
  queries.setQueryData(queryKey, { ...event.old, name: "as it was" });
  vi.advanceTimersByTime(60_000);
  gathered.add(event);
  const query = queries.getQueryCache().find({ queryKey });
  expect(queries.getQueryData(queryKey)).toEqual({ ...event.data, name: "as it was" });
  expect(query?.isStaleByTime(2000)).toBe(true); // A page that is opened now reads it.
});

test.each(EVENTS)(
  "$type does not undo that $queryKey is to be read",
  async ({ queryKey, ...event }) => {
    queries.setQueryData(queryKey, event.old);
    await queries.invalidateQueries({ queryKey });
    gathered.add(event);
    expect(queries.getQueryCache().find({ queryKey })?.isStaleByTime(2000)).toBe(true);
  },
);

test.each(EVENTS)(
  "an answer from before $type is not what stays",
  async ({ queryKey, ...event }) => {
    const answers: ((data: object) => void)[] = [];
    const reading = new QueryObserver(queries, {
      queryKey,
      queryFn: () => new Promise<object>((resolve) => answers.push(resolve)),
      initialData: event.old,
    });
    const leave = reading.subscribe(() => undefined);
    expect(answers).toHaveLength(1);
    gathered.add(event);
    answers[0]?.(event.old);
    await vi.advanceTimersByTimeAsync(1000);
    answers[1]?.(event.data);
    await vi.advanceTimersByTimeAsync(1000);
    expect(queries.getQueryData(queryKey)).toEqual(event.data);
    leave();
  },
);

test("a row that is set does not make its list fresh", async () => {
  vi.stubGlobal("fetch", async () => Response.json({ id: "a", state: "sent" }));
  const queryKey = ["messages", { account: "acc_1" }, "latest"];
  queries.setQueryData(queryKey, { items: [{ id: "a", state: "pending" }], next: null });
  const list = queries.getQueryCache().find({ queryKey });
  const shown = new QueryObserver(queries, { queryKey, staleTime: Number.POSITIVE_INFINITY });
  const leave = shown.subscribe(() => undefined);
  vi.advanceTimersByTime(60_000);
  gathered.add({ type: "message.updated", data: { id: "a" } });
  await vi.advanceTimersByTimeAsync(500);
  expect(list?.state.data).toMatchObject({ items: [{ state: "sent" }] });
  expect(list?.isStaleByTime(2000)).toBe(true);
  leave();
});
