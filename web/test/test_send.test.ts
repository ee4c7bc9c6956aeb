// The test of a campaign: what is sent again after a lost answer.
import { createElement } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { DraftStore } from "../src/features/campaigns/draft/draft_store.ts";
import { TestSend } from "../src/features/campaigns/draft/test_send.tsx";
import { found, Mounted, submit, type } from "./support/mounted.ts";

let page: Mounted;
let keys: (string | null)[];

beforeEach(() => {
  page = new Mounted();
  keys = [];
  vi.stubGlobal("fetch", async ({ headers }: Request) => {
    keys.push(headers.get("Idempotency-Key"));
    throw new TypeError("the answer was lost");
  });
});
afterEach(() => page.remove());

test("a repeat after a lost answer has the same key, so that it is no second test", async () => {
  const store = { flush: async () => undefined } as DraftStore;
  await page.show(createElement(TestSend, { id: "cmp_1", store }));
  await type(found("input"), "0812-3456-7890");
  await submit(found("form"));
  await submit(found("form"));
  expect(keys).toHaveLength(2);
  expect(keys[1]).toBe(keys[0]);
  await type(found("input"), "0812-3456-7891");
  await submit(found("form"));
  expect(keys[2]).not.toBe(keys[0]); // It is another one.
});
