// Sent and failed by day, as lines; the table below says the same in numbers.
import "uplot/dist/uPlot.min.css";
import { useEffect, useRef } from "react";
import UPlot from "uplot";
import type { Day } from "../pages/usage_days.ts";
import { useScheme } from "../style/scheme.tsx";
import { useWords } from "../texts/index.tsx";
import classes from "./chart.module.css";

const HEIGHT = 260;

export default function Chart({ rows }: { rows: Day[] }) {
  const { t, format } = useWords();
  const { scheme } = useScheme();
  const place = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: colours are another scheme's.
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const style = getComputedStyle(document.documentElement);
    const colour = (name: string) => style.getPropertyValue(name).trim();
    const axis = { stroke: colour("--muted"), grid: { stroke: colour("--line"), width: 1 } };
    const series = (label: string, name: string): UPlot.Series => ({
      label,
      stroke: colour(name),
      width: 2,
      points: { show: rows.length < 15 },
      value: (_, value) => (value === null ? "" : format.number(value)),
    });
    const data: UPlot.AlignedData = [
      rows.map((row) => new Date(`${row.day}T00:00`).getTime() / 1000),
      rows.map((row) => row.sent),
      rows.map((row) => row.failed),
    ];
    const chart = new UPlot(
      {
        width: element.clientWidth,
        height: HEIGHT,
        scales: { y: { range: (_, low, high) => [Math.min(low, 0), Math.max(high, 1) * 1.05] } },
        axes: [
          {
            ...axis,
            grid: { show: false },
            values: (_, times) =>
              times.map((time) => format.day(new Date(time * 1000).toISOString())),
          },
          {
            ...axis,
            size: 60,
            values: (_, values) =>
              values.map((value) => (Number.isInteger(value) ? format.number(value) : "")),
          },
        ],
        series: [
          {
            label: t.usage.day,
            value: (_, time) =>
              time === null ? "" : format.day(new Date(time * 1000).toISOString()),
          },
          series(t.messages.states.sent, "--chart-sent"),
          series(t.messages.states.failed, "--chart-failed"),
        ],
      },
      data,
      element,
    );
    const resized = new ResizeObserver(() =>
      chart.setSize({ width: element.clientWidth, height: HEIGHT }),
    );
    resized.observe(element);
    return () => {
      resized.disconnect();
      chart.destroy();
    };
  }, [rows, t, format, scheme]);
  return <div ref={place} className={classes.chart} role="img" aria-label={t.usage.lead} />;
}
