// One-time codes of an honest account: a receiver of their callbacks, and how long they take.
import { once } from "node:events";
import { createServer } from "node:http";
import { setTimeout as pause } from "node:timers/promises";

export const PROBES = 200;
const PROBE_EVERY_MS = 25;
const PROBE_SECONDS_MAX = 30;

/** The healthy receiver, in the bench's own process. */
export async function startReceiver() {
  const waiting = new Map();
  const server = createServer((request, response) => {
    const at = performance.now();
    request.resume();
    request.on("end", () => response.writeHead(request.url === "/dead" ? 404 : 200).end("{}"));
    waiting.get(request.url)?.(at);
    waiting.delete(request.url);
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: server.address().port,
    /** Resolves with the time of the path's callback; undefined: it did not arrive. */
    expect: (path) =>
      new Promise((resolve) => {
        waiting.set(path, resolve);
        setTimeout(resolve, PROBE_SECONDS_MAX * 1000).unref();
      }),
    close: () => new Promise((resolve) => (server.closeAllConnections(), server.close(resolve))),
  };
}

let count = 0;

/**
 * Sends every PROBE_EVERY_MS, and measures from the answer to the callback. `accept`: from the
 * request to the answer.
 */
export async function probe(gateway, receiver, url) {
  const times = { accept: [], callback: [] };
  const probes = [];
  for (let i = 0; i < PROBES; i += 1) {
    const path = `/alive-${(count += 1)}`;
    probes.push(
      (async () => {
        const come = receiver.expect(path);
        const begun = performance.now();
        await gateway.send(gateway.accounts.good, url.replace("/alive", path));
        const sent = performance.now();
        times.accept.push(sent - begun);
        const at = await come;
        if (at !== undefined) times.callback.push(Math.max(0, at - sent));
      })(),
    );
    await pause(PROBE_EVERY_MS);
  }
  await Promise.all(probes);
  const lost = PROBES - times.callback.length;
  return { ...percentiles(times.callback), lost, accept: percentiles(times.accept) };
}

function percentiles(times) {
  times.sort((a, b) => a - b);
  const at = (share) => times[Math.min(times.length - 1, Math.floor(times.length * share))];
  return { p50: at(0.5), p99: at(0.99), max: times.at(-1) };
}
