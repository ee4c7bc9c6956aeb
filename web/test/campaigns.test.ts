// Campaigns in numbers: how far they are, and why messages failed.
import { expect, test } from "vitest";
import type { Campaign } from "../src/api/types.ts";
import { decided, moves } from "../src/features/campaigns/campaign_progress.tsx";
import { mostFrequentFirst } from "../src/features/campaigns/outcomes.ts";

const counts = (part: object) => ({
  counts: {
    total: 10,
    pending: 0,
    queued: 0,
    sent: 0,
    failed: 0,
    skipped: 0,
    uncertain: 0,
    cancelled: 0,
    delivered: 0,
    read: 0,
    ...part,
  },
});

test("a recipient counts as done once nothing more will happen to them", () => {
  expect(decided(counts({ pending: 4, queued: 2, sent: 2, failed: 1, skipped: 1 }))).toBe(4);
  expect(decided(counts({ uncertain: 1, sent: 9 }))).toBe(9);
});

test("a campaign is read often while it may move by itself", () => {
  const of = (state: Campaign["state"], part = {}) => moves({ state, ...counts(part) });
  expect(of("running")).toBe(true);
  expect(of("scheduled")).toBe(true);
  expect(of("paused", { queued: 1 })).toBe(true);
  expect(of("paused")).toBe(false);
  expect(of("finished")).toBe(false);
});

test("what happened most often is shown first, and the rest as it came", () => {
  const failed = [1001, 1002, 500].map((code) => ({ code, count: code === 500 ? 7 : 1 }));
  expect(mostFrequentFirst(failed).map(({ code }) => code)).toEqual([500, 1001, 1002]);
});
