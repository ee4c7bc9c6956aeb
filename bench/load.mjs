// Runs wrk, the load generator, and reads its results.
import { run } from "./processes.mjs";

const MILLISECONDS = { us: 1e-3, ms: 1, s: 1e3, m: 6e4 };

/** `script` is a Lua file for wrk, which reads `environment`. */
export async function load({ url, script, connections, seconds, environment }) {
  const begun = performance.now();
  const output = await run(
    "wrk",
    ["-t1", `-c${connections}`, `-d${seconds}s`, "--latency", "-s", script, url],
    environment,
  );
  const number = (pattern) => Number(pattern.exec(output)?.[1] ?? 0);
  const latency = (percent) => {
    const [, value, unit] = new RegExp(`${percent}%\\s+([\\d.]+)(us|ms|s|m)`).exec(output);
    return Number(value) * MILLISECONDS[unit];
  };
  const refused = number(/Non-2xx or 3xx responses: (\d+)/);
  const errors = /Socket errors: .*/.exec(output)?.[0] ?? "";
  return {
    accepted: number(/(\d+) requests in/) - refused,
    refused,
    errors,
    seconds: (performance.now() - begun) / 1000,
    p50: latency(50),
    p99: latency(99),
  };
}
