// Summaries of measurements.

export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** "91 431 (84 950 to 93 240)": the median and the range. */
export function spread(numbers, digits = 0) {
  const text = (number) => grouped(number, digits);
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
  return `${text(median(numbers))} (${text(low)} to ${text(high)})`;
}

export function grouped(number, digits = 0) {
  return number.toFixed(digits).replace(/\B(?=(\d{3})+(?!\d))/g, digits ? "" : " ");
}

/** Rows of equal length as columns; the first row is the heading. */
export function table(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const line = (row) => row.map((cell, column) => cell.padEnd(widths[column])).join("  ");
  const rule = widths.map((width) => "-".repeat(width));
  return [rows[0], rule, ...rows.slice(1)].map((row) => `  ${line(row).trimEnd()}`).join("\n");
}
