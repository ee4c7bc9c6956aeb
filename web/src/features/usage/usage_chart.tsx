// A chart of sent and failed messages of the last days.
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { accounts } from "../../queries/accounts.ts";
import { ProblemNote } from "../../ui/problem_note.tsx";
import { Stale } from "../../ui/stale.tsx";
import { daysOf, rangeOf } from "./usage_days.ts";

const Chart = lazy(() => import("../../ui/chart.tsx"));

// Events tell of the messages of one account, and none do without a stream.
export const USAGE_EVERY = 60_000;

/** Usage of an account; empty: of all accounts, for administrators. */
export function useDailyUsage(account: string, days: number) {
  const range = rangeOf(days, Date.now());
  return useQuery({
    ...accounts.usage({ account, by: "day", ...range }),
    refetchInterval: USAGE_EVERY,
  });
}

const LEGEND = 30; // Its height below the chart.

interface UsageChartProps {
  account: string;
  days: number;
  height?: number;
}

export function UsageChart({ account, days, height = 240 }: UsageChartProps) {
  const usage = useDailyUsage(account, days);
  const waiting = <div style={{ height: height + LEGEND }} aria-busy="true" />;
  if (!usage.data) return usage.error ? <ProblemNote error={usage.error} /> : waiting;
  return (
    <Suspense fallback={waiting}>
      {usage.error && <Stale error={usage.error} since={usage.dataUpdatedAt} />}
      <Chart rows={daysOf(usage.data.items, days, Date.now())} height={height} />
    </Suspense>
  );
}
