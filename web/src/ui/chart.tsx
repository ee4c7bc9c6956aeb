// A chart with one bar a day: failed messages on top of sent ones.
import "uplot/dist/uPlot.min.css";
import { VisuallyHidden } from "@mantine/core";
import { useEffect, useRef } from "react";
import UPlot from "uplot";
import { useScheme } from "../style/scheme.tsx";
import { useWords } from "../texts/index.tsx";
import classes from "./chart.module.css";

const HALF_A_DAY = 43_200; // Seconds. A bar extends to both sides of its time.

/** One bar. */
export interface Day {
  day: string; // "2026-11-22"
  sent: number;
  failed: number;
}

interface ChartProps {
  rows: Day[];
  height: number;
}

export default function Chart({ rows, height }: ChartProps) {
  const { t, format } = useWords();
  const { scheme } = useScheme();
  const place = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: colours are another scheme's.
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const style = getComputedStyle(document.body);
    const colour = (name: string) => style.getPropertyValue(name).trim();
    const font = `12px ${style.fontFamily}`;
    const axis = { font, stroke: colour("--muted"), grid: { stroke: colour("--line"), width: 1 } };
    // With no bar under the pointer, the legend shows the totals.
    const series = (label: string, name: string, count: (row: Day) => number): UPlot.Series => ({
      label,
      fill: colour(name),
      width: 0,
      points: { show: false },
      paths: UPlot.paths.bars?.({ size: [0.7, 36], align: 0 }),
      value: (_, __, ___, place) => {
        const row = place === null ? undefined : rows[place];
        const all = () => rows.reduce((sum, one) => sum + count(one), 0);
        return format.number(row ? count(row) : all());
      },
    });
    // Drawn in this order, so that the sent bar covers the lower part of the total's bar.
    const data: UPlot.AlignedData = [
      rows.map((row) => new Date(`${row.day}T00:00`).getTime() / 1000),
      rows.map((row) => row.sent + row.failed),
      rows.map((row) => row.sent),
    ];
    const chart = new UPlot(
      {
        width: element.clientWidth,
        height,
        cursor: { points: { show: false }, drag: { x: false, y: false } },
        scales: {
          x: { range: (_, low, high) => [low - HALF_A_DAY, high + HALF_A_DAY] },
          y: { range: (_, __, high) => [0, Math.max(high, 1) * 1.05] },
        },
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
            label: "",
            value: (_, time) =>
              time === null ? t.usage.total : format.day(new Date(time * 1000).toISOString()),
          },
          series(t.messages.states.failed, "--chart-failed", (row) => row.failed),
          series(t.messages.states.sent, "--chart-sent", (row) => row.sent),
        ],
      },
      data,
      element,
    );
    const resized = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height }));
    resized.observe(element);
    return () => {
      resized.disconnect();
      chart.destroy();
    };
  }, [rows, height, t, format, scheme]);
  return (
    <>
      <div ref={place} className={classes.chart} role="img" aria-label={t.usage.lead} />
      <Rows rows={rows} />
    </>
  );
}

/** The figures of the chart, for those who cannot see it. */
function Rows({ rows }: { rows: Day[] }) {
  const { t, format } = useWords();
  return (
    <VisuallyHidden>
      <table>
        <caption>{t.usage.lead}</caption>
        <thead>
          <tr>
            <th scope="col">{t.usage.day}</th>
            <th scope="col">{t.messages.states.sent}</th>
            <th scope="col">{t.messages.states.failed}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.day}>
              <th scope="row">{format.day(`${row.day}T00:00`)}</th>
              <td>{format.number(row.sent)}</td>
              <td>{format.number(row.failed)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </VisuallyHidden>
  );
}
