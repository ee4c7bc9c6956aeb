import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Gathered } from "../src/live/gathered.ts";

/** A QueryClient whose answers come when the test says so. */
class Queries {
  rounds: string[][] = [];
  underWay = 0;
  private answer: () => void = () => undefined;

  isFetching = () => this.underWay;

  invalidateQueries = (filters: { predicate: (query: { queryKey: string[] }) => boolean }) => {
    const names = ["messages", "callbacks", "keys", "session"];
    this.rounds.push(names.filter((name) => filters.predicate({ queryKey: [name] })));
    return new Promise<void>((resolve) => {
      this.answer = resolve;
    });
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
  gathered = new Gathered(queries as never);
});
afterEach(() => {
  gathered.stop();
  vi.useRealTimers();
});

const told = (type: string) => gathered.add({ type, data: null });

test("events of a moment make old once what they name", async () => {
  told("message.updated");
  told("message.updated");
  told("callback.attempt");
  await vi.advanceTimersByTimeAsync(500);
  expect(queries.rounds).toEqual([["messages", "callbacks"]]);
});

test("resync, and what is not known, make all old but the session", async () => {
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
