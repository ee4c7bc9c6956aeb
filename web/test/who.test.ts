// Two people in one browser: no tab shows one person's data to another.
import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { SESSION } from "../src/queries/people.ts";
import { becomeSomebody, hasEnded, whoIsThere } from "../src/session/who.ts";

const sessionOf = (id: string) => ({ person: { id }, memberships: [], session: {} });

let queries: QueryClient;
let signedIn: string | undefined;

beforeEach(() => {
  queries = new QueryClient();
  vi.stubGlobal("fetch", async () =>
    signedIn === undefined
      ? new Response("{}", { status: 401 })
      : new Response(JSON.stringify(sessionOf(signedIn))),
  );
});
afterEach(() => vi.unstubAllGlobals());

const read = () =>
  queries.fetchQuery({ queryKey: SESSION, queryFn: (context) => whoIsThere(queries, context) });

test("a session of another person drops what the first one was shown", async () => {
  signedIn = "per_1";
  await read();
  queries.setQueryData(["messages", "acc_1"], ["secret of per_1"]);
  await read();
  expect(queries.getQueryData(["messages", "acc_1"])).toBeDefined();
  signedIn = "per_2"; // In another tab.
  await read();
  expect(queries.getQueryData(["messages", "acc_1"])).toBeUndefined();
  expect(hasEnded(queries)).toBe(false);
});

test("an answer in flight for the first person is not kept for the second", async () => {
  signedIn = "per_1";
  await read();
  let answer: (items: string[]) => void = () => undefined;
  const observer = new QueryObserver(queries, {
    queryKey: ["messages", "acc_1"],
    queryFn: () => new Promise<string[]>((resolve) => (answer = resolve)),
  });
  const stop = observer.subscribe(() => undefined);
  signedIn = "per_2";
  await read();
  answer(["secret of per_1"]);
  await new Promise((resolve) => setTimeout(resolve, 0));
  expect(queries.getQueryData(["messages", "acc_1"])).toBeUndefined();
  stop();
});

test("a session that ended by itself is told from one that its person ended", async () => {
  signedIn = "per_1";
  await read();
  signedIn = undefined;
  expect(await read()).toBeNull();
  expect(hasEnded(queries)).toBe(true);
  becomeSomebody(queries, sessionOf("per_1") as never);
  expect(hasEnded(queries)).toBe(false);
  becomeSomebody(queries, null);
  expect(hasEnded(queries)).toBe(false);
});
