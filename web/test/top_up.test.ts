// An administrator adds to the credit of an account.
import { createElement } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Account } from "../src/api/types.ts";
import { TopUp } from "../src/features/accounts/accounts.tsx";
import { found, Mounted, submit, type } from "./support/mounted.ts";

let page: Mounted;

beforeEach(() => {
  page = new Mounted();
});
afterEach(() => page.remove());

test("credit whose answer was lost is not added twice", async () => {
  const added = new Map<string | null, number>();
  vi.stubGlobal("fetch", async (request: Request) => {
    const { amount } = (await request.json()) as { amount: number };
    added.set(request.headers.get("Idempotency-Key"), amount);
    throw new TypeError("the answer was lost");
  });
  const account = { id: "acc_1", name: "Toko" } as Account;
  await page.show(createElement(TopUp, { account, onClose: () => undefined }));
  await type(found("input"), "100");
  await submit(found("form"));
  await submit(found("form"));
  expect([...added]).toEqual([[expect.any(String), 100]]);
});
