// A crowd of clients from one address that send and do not read, and an honest one from another
// address, which calls meanwhile.
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { connect as connectTls } from "node:tls";
import { memory } from "./processes.mjs";

const BAD_NEIGHBOUR = "127.0.0.2";
const HONEST = "127.0.0.3";
const HONEST_TRIES = 20;
const HONEST_PATIENCE_MS = 5_000;

/** Opens `clients` connections, `inARow` at once with a pause after them, that each send `bytes`.
 * Answers those that are open; the gateway may close some. */
export async function connectAll(port, { bytes, clients, inARow, pauseMs }) {
  const open = new Set();
  for (let begun = 0; begun < clients; begun += inARow) {
    for (let more = 0; more < inARow; more += 1) {
      const socket = connect({ port, host: "127.0.0.1", localAddress: BAD_NEIGHBOUR });
      socket.pause();
      socket.on("error", () => {});
      socket.on("close", () => open.delete(socket));
      socket.on("connect", () => socket.write(bytes));
      open.add(socket);
    }
    await pause(pauseMs);
  }
  return open;
}

/** The most resident memory of the process while `run` runs, and what `run` answers. */
export async function peakWhile(process, run) {
  let peak = memory(process).resident;
  const watch = setInterval(() => {
    peak = Math.max(peak, memory(process).resident);
  }, 100);
  try {
    const answer = await run();
    return { peak, answer };
  } finally {
    clearInterval(watch);
  }
}

/** How many of several honest calls, one after another, were answered 200. */
export async function honestCalls(port, request, { tls = false } = {}) {
  let served = 0;
  for (let round = 0; round < HONEST_TRIES; round += 1) {
    served += await isServed(port, request, tls);
  }
  return { served, tries: HONEST_TRIES };
}

/** One call over a new connection; resolves with 1 if the answer was 200. */
function isServed(port, request, tls) {
  return new Promise((resolve) => {
    const options = { port, host: "127.0.0.1", localAddress: HONEST };
    const socket = tls
      ? connectTls({ ...options, rejectUnauthorized: false })
      : connect(options);
    const end = (result) => {
      socket.destroy();
      resolve(result);
    };
    let answer = "";
    socket.setTimeout(HONEST_PATIENCE_MS, () => end(0));
    socket.on("error", () => end(0));
    socket.on("close", () => end(0));
    socket.on("data", (piece) => {
      answer += piece;
      if (answer.includes("\r\n\r\n")) {
        end(answer.startsWith("HTTP/1.1 200") ? 1 : 0);
      }
    });
    socket.write(request);
  });
}
