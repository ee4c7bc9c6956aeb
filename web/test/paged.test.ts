// Lists of which several pages are loaded: what is read again, and when.
import {
  focusManager,
  onlineManager,
  QueryClient,
  QueryClientProvider,
} from "@tanstack/react-query";
import { act, createElement, type ReactNode } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Gathered } from "../src/live/gathered.ts";
import { cutWhenLeft } from "../src/live/long_lists.ts";
import { usePaged } from "../src/live/paged.ts";
import { accounts } from "../src/queries/accounts.ts";

/** The cursors of the requests for the ledger, which has many pages of one entry. */
let asked: string[];
let root: Root;
let queries: QueryClient;
let shown: ReturnType<typeof usePaged>;

function Ledger(): ReactNode {
  shown = usePaged(accounts.ledger("acc_1"));
  return null;
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  asked = [];
  vi.stubGlobal("fetch", async ({ url }: Request) => {
    const cursor = new URL(url).searchParams.get("cursor") ?? "0";
    asked.push(cursor);
    return Response.json({ items: [{ id: cursor }], next: `${Number(cursor) + 1}` });
  });
  queries = new QueryClient();
  cutWhenLeft(queries);
  root = createRoot(document.createElement("div"));
});
afterEach(async () => {
  await act(async () => root.unmount());
  queries.clear();
  focusManager.setFocused(undefined);
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const settle = (milliseconds = 0) => act(() => vi.advanceTimersByTimeAsync(milliseconds));

async function show(isShown: boolean): Promise<void> {
  const page = isShown ? createElement(Ledger) : null;
  await act(async () => root.render(createElement(QueryClientProvider, { client: queries }, page)));
  await settle(3000);
}

/** Opens the list and loads this many pages; forgets their requests. */
async function open(pages: number): Promise<void> {
  await show(true);
  for (let loaded = 1; loaded < pages; loaded += 1) {
    shown.next.load();
    await settle(10);
  }
  expect(asked).toHaveLength(pages);
  asked = [];
}

const ids = () => (shown.items as { id: string }[]).map(({ id }) => id);

async function tell(type: string): Promise<void> {
  const gathered = new Gathered(queries, "acc_1");
  gathered.add({ type, data: { credit: 5 } });
  await settle(600);
  gathered.stop();
}

async function focus(): Promise<void> {
  focusManager.setFocused(false);
  focusManager.setFocused(true);
  await settle(10);
}

async function reconnect(): Promise<void> {
  onlineManager.setOnline(false);
  onlineManager.setOnline(true);
  await settle(10);
}

const credit = () => tell("account.credit");

test.each([
  ["an event", credit],
  ["the window's focus", focus],
  ["a connection that is back", reconnect],
])("%s reads a single page again, and no list with several", async (_, happens) => {
  await open(1);
  await happens();
  expect(asked).toEqual(["0"]);
  asked = [];
  shown.next.load();
  await settle(10);
  shown.next.load();
  await settle(3000);
  expect(asked).toEqual(["1", "2"]);
  await happens();
  expect(asked).toEqual(["1", "2"]);
  expect(ids()).toEqual(["0", "1", "2"]);
});

test("a list that is opened again at once is read, however fresh its rows are", async () => {
  queries.setDefaultOptions({ queries: { staleTime: 2000 } });
  await open(3);
  await act(async () => root.render(createElement(QueryClientProvider, { client: queries }, null)));
  await act(async () =>
    root.render(createElement(QueryClientProvider, { client: queries }, createElement(Ledger))),
  );
  await settle(10);
  expect(asked).toEqual(["0"]);
});

test("the first stream of a tab leaves alone what was loaded before it", async () => {
  await open(4);
  await tell("begin");
  expect(asked).toEqual([]);
  expect(ids()).toEqual(["0", "1", "2", "3"]);
});

test("when events were missed, a list with several pages begins with the first again", async () => {
  await open(4);
  await tell("resync");
  expect(asked).toEqual(["0"]);
  expect(ids()).toEqual(["0"]);
});

test("a list that was left is opened with its first page", async () => {
  await open(4);
  await show(false);
  await show(true);
  expect(asked).toEqual(["0"]);
  expect(ids()).toEqual(["0"]);
});
