// A chart of sent and failed messages of the last days.
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { accounts } from "../../queries/accounts.ts";
import { ProblemNote } from "../../ui/problem_note.tsx";
import { daysOf, rangeOf } from "./usage_days.ts";

const Chart = lazy(() => import("../../ui/chart.tsx"));

/** Usage of an account; empty: of all accounts, for administrators. */
export function useDailyUsage(account: string, days: number) {
  return useQuery(accounts.usage({ account, by: "day", ...rangeOf(days, Date.now()) }));
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
  if (usage.error) return <ProblemNote error={usage.error} />;
  if (!usage.data) return waiting;
  return (
    <Suspense fallback={waiting}>
      <Chart rows={daysOf(usage.data.items, days, Date.now())} height={height} />
    </Suspense>
  );
}
