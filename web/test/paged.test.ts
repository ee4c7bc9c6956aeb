import { expect, test } from "vitest";
import type { Page } from "../src/api/types.ts";
import { firstWithItems } from "../src/ui/paged.ts";

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
