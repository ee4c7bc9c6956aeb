// The rows of a bench that compares an undisturbed account with one beside a bad neighbour.

/** Measures each row in a new folder. BENCH_ROW: only rows whose names contain it. */
export async function measureRows(rows, folder, measure, isMet) {
  const only = process.env.BENCH_ROW;
  const results = [];
  for (const row of rows.filter(({ name }) => !only || name.includes(only))) {
    const result = { name: row.name, limit: row.limit };
    try {
      Object.assign(result, await measure(row, folder()));
    } catch (error) {
      result.error = error.message.split("\n")[0];
    }
    results.push({ ...result, met: isMet(result) });
    process.stderr.write(`  ${result.name}: ${JSON.stringify(results.at(-1))}\n`);
  }
  if (results.some(({ met }) => !met)) process.exitCode = 1;
  return results;
}
