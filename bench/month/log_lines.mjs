// Which warnings and errors of the gateway's log the disturbances of the month explain.
import { readFileSync } from "node:fs";

/** Pattern and cause. */
const explained = [
  [/"devices connect to a platform that the settings name/, "each start: the stand-in platform"],
  [/"room":"linked","message":"(stream errored out|failed to ack receipt)/, "pairings, and kills"],
  [/"the machine's clock was set; .*","by":"([+-]4[3-7]|\+3[56]\d\d)\./, "clock steps"],
  [/"not ready","why":"store: its disk is (nearly )?full/, "the full disk"],
  [/"retention could not remove old rows","why":"the store's disk is full/, "the full disk"],
  [/"messages could not be summarised for searches","why":"the store's disk is full/, "the same"],
];

/** Lines that nothing explains, each once with its count. */
export function unexplained(file) {
  const counts = new Map();
  for (const line of readFileSync(file, "utf8").split("\n")) {
    if (line === "" || explained.some(([pattern]) => pattern.test(line))) continue;
    const kind = line.replace(/"time":"[^"]*",?/, "").replace(/\d+/g, "N");
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return [...counts].map(([line, count]) => ({ line, count }));
}
