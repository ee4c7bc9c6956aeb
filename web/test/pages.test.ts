import { expect, test } from "vitest";
import { firstItems, firstWithItems, ITEMS_MAX } from "../src/api/pages.ts";
import type { Page } from "../src/api/types.ts";

/** Pages by their cursors; what was asked for. */
function list(pages: Record<string, Page<number>>) {
  const asked: string[] = [];
  const fetchPage = async (cursor = "") => {
    asked.push(cursor);
    return pages[cursor] ?? { items: [], next: cursor };
  };
  return { asked, fetchPage };
}

const { signal } = new AbortController();

test("pages without items are passed over, up to the first with some", async () => {
  const { asked, fetchPage } = list({
    "": { items: [], next: "a" },
    a: { items: [], next: "b" },
    b: { items: [7], next: "c" },
  });
  expect(await firstWithItems(fetchPage, undefined, signal)).toEqual({ items: [7], next: "c" });
  expect(asked).toEqual(["", "a", "b"]);
});

test("the last page is the last, with items or without", async () => {
  const { asked, fetchPage } = list({ "": { items: [], next: null } });
  expect(await firstWithItems(fetchPage, undefined, signal)).toEqual({ items: [], next: null });
  expect(asked).toEqual([""]);
});

test("a search that finds nothing for long waits, and one that is left ends", async () => {
  const endless = list({ "": { items: [], next: "x" } });
  expect(await firstWithItems(endless.fetchPage, undefined, signal)).toEqual({
    items: [],
    next: "x",
  });
  expect(endless.asked.length).toBe(50);
  const left = list({ "": { items: [], next: "x" } });
  await firstWithItems(left.fetchPage, undefined, AbortSignal.abort());
  expect(left.asked.length).toBe(1);
});

test("items for choices are read up to a bound, and it is said that there are others", async () => {
  const page = Array.from({ length: 1000 }, (_, place) => place);
  let asked = 0;
  const endless = async () => {
    asked += 1;
    return { items: page, next: "x" };
  };
  const { items, more } = await firstItems(endless);
  expect([items.length, more, asked]).toEqual([ITEMS_MAX, true, ITEMS_MAX / 1000]);
  const { fetchPage } = list({ "": { items: [1], next: "a" }, a: { items: [2], next: null } });
  expect(await firstItems(fetchPage)).toEqual({ items: [1, 2], more: false });
});
