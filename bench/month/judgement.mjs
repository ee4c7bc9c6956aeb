// Whether a month passed, and its report in words.
import { grouped, median, table } from "../statistics.mjs";

const ROWS_MIN = 1000; // Smaller tables are not compared.
const SHOWN_MAX = 5;

/**
 * `growthMax`: what the last quarter may be of the second; 0: not judged. `mustBeWhole`: a run
 * that left something out fails.
 */
export function judge(report, { growthMax, mustBeWhole }) {
  const growth = growths(report.samples);
  const passed =
    (!mustBeWhole || report.leftOut.length === 0) &&
    report.missing.length === 0 &&
    report.unknown.length === 0 &&
    report.agreement.every(({ met }) => met) &&
    report.lines.length === 0 &&
    Object.keys(report.visits.wrong).length === 0 &&
    (growthMax === 0 || growth.every(({ ratio }) => ratio <= growthMax));
  return { ...report, growth, growthMax, passed };
}

/** Each figure's median in the last quarter against that in the second. */
function growths(samples) {
  const quarter = samples.length / 4;
  const second = samples.slice(quarter, 2 * quarter);
  const last = samples.slice(3 * quarter);
  const row = (what, of) => {
    const values = (some) => some.map(of).filter((value) => value !== undefined);
    const [before, after] = [median(values(second)), median(values(last))];
    return { what, before, after, ratio: after / before };
  };
  const tables = Object.keys(samples.at(-1).rows).map((name) =>
    row(`rows of ${name}`, ({ rows }) => rows[name]),
  );
  const hasWorkers = samples.some(({ workers }) => workers !== undefined);
  return [
    row("p99 of accepts, ms", (each) => each.acceptP99),
    row("p99 of callbacks, ms", (each) => each.callbackP99),
    row("gateway, resident MiB", (each) => each.memory),
    ...(hasWorkers ? [row("linked workers, resident MiB", (each) => each.workers)] : []),
    row("store, MiB", (each) => each.disk),
    row("media folder, MiB", (each) => each.media),
    row("descriptors", (each) => each.descriptors),
    ...tables.filter(({ after }) => after >= ROWS_MIN),
  ];
}

/** How many, and the first of them. */
const shown = (ids) => [ids.length, ...ids.slice(0, SHOWN_MAX)].join(" ");

export function describeMonth(report) {
  const { growth, growthMax, counts, visits, agreement, lines, missing, unknown } = report;
  const cells = growth.map(({ what, before, after, ratio }) => [
    what, grouped(before, 1), grouped(after, 1), ratio.toFixed(2),
  ]);
  const refused = Object.entries(counts.refused).map(([why, count]) => `${count} ${why}`);
  const isWhole = report.leftOut.length === 0;
  const bound = growthMax === 0 ? "" : `at most ${growthMax} times the second quarter, `;
  return [
    `month: ${report.seconds} s, ${report.rate} messages a second, medians of the minutes of two ` +
      "quarters",
    table([["figure", "second quarter", "last quarter", "ratio"], ...cells]),
    `  accepted ${grouped(counts.accepted)}: sent ${grouped(counts.ended.sent)}, failed ` +
      `${grouped(counts.ended.failed)}; not reported: ${shown(missing.map(({ id }) => id))}; ` +
      `reported and never answered: ${shown(unknown)}; callbacks repeated ${counts.repeated}; ` +
      `refused: ${refused.join(", ") || "none"}`,
    ...missing.slice(0, SHOWN_MAX).map((one) => `  not reported: ${JSON.stringify(one)}`),
    ...report.held.map(({ id, why }) => `  held after a kill: ${id}: ${why}`),
    `  visits: ${JSON.stringify(visits)}`,
    ...agreement.map(
      ({ what, found, wanted, met }) =>
        `  ${what}: ${found}, wanted: ${wanted}: ${met ? "met" : "MISSED"}`,
    ),
    `  lines of the log that nothing explains: ${lines.length}`,
    ...lines.slice(0, 20).map(({ line, count }) => `    ${count} times ${line}`),
    `  ${isWhole ? "whole" : `NOT WHOLE, without ${report.leftOut.join(", ")}`}`,
    `  ${bound}nothing lost, books exact: ${report.passed ? "met" : "MISSED"}`,
  ].join("\n");
}
