// Lists that the gateway gives page by page.
import type { Cancel } from "./client.ts";
import type { Page } from "./types.ts";

/** Reads the page at the cursor. */
export type FetchPage<Item> = (cursor: string | undefined, cancel: Cancel) => Promise<Page<Item>>;

// A search for rare items returns empty pages before the last one. This many are fetched in a row
// before the reader has to continue.
const EMPTY_MAX = 50;

/** The default number of rows of a page. */
export const PAGE = 100;

/** The page at the cursor, or the next page with items. */
export async function firstWithItems<Item>(
  fetchPage: FetchPage<Item>,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<Page<Item>> {
  let page = await fetchPage(cursor, { signal });
  for (let asked = 1; asked < EMPTY_MAX; asked += 1) {
    if (page.items.length > 0 || page.next === null || signal.aborted) break;
    page = await fetchPage(page.next, { signal });
  }
  return page;
}

/** The first items of a list. */
export interface FirstItems<Item> {
  items: Item[];
  more: boolean; // Whether there are others.
}

/** The most items that are read for choices and sums. */
export const ITEMS_MAX = 5000;

/** The items of a list, for choices and sums; usually a single page. Ends with ITEMS_MAX. */
export async function firstItems<Item>(
  fetchPage: FetchPage<Item>,
  cancel: Cancel = {},
): Promise<FirstItems<Item>> {
  const items: Item[] = [];
  let cursor: string | undefined;
  do {
    const page = await fetchPage(cursor, cancel);
    for (const item of page.items) items.push(item);
    cursor = page.next ?? undefined;
  } while (cursor !== undefined && items.length < ITEMS_MAX);
  return { items, more: cursor !== undefined };
}
