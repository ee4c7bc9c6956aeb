// A bad neighbour for `fairness_media.mjs`, run as a worker thread: media hosts of one bad kind,
// each with its own loopback address, and the messages of an account that name their files.
import { createServer } from "node:http";
import { connect, createServer as createRawServer } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { isMainThread, parentPort, workerData } from "node:worker_threads";
import { freePort, start, untilListening } from "./processes.mjs";

export const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwAD" +
    "hgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const SLOW_MS = 2000;
const CONNECTIONS = 400; // Sends in flight at once.
// After the first round the messages are sent again at this rate. The limit keeps the machine from
// being busy with accepting alone, because the cost of bad hosts is measured.
const REPEATED_A_SECOND = 200;

const listen = (server, ...where) =>
  new Promise((resolve) => server.listen(...where, () => resolve(server.address().port)));

/** Each starts hosts of its kind at all loopback addresses; resolves with {port, close()}. */
const kinds = {
  /** Accept a connection and never answer. */
  async hanging() {
    const sockets = new Set();
    const server = createRawServer((socket) => {
      sockets.add(socket);
      socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
    });
    const port = await listen(server, 0, "0.0.0.0");
    const close = () => {
      sockets.forEach((socket) => socket.destroy());
      server.close();
    };
    return { port, close };
  },

  /** Accept no connection: a stopped process with a full listen queue. */
  async blackHoles() {
    const { folder } = workerData;
    const port = await freePort();
    const script = `require("net").createServer().listen(${port}, "0.0.0.0", 1)`;
    const log = join(folder, "holes.log");
    const child = start(process.execPath, ["-e", script], { log, folder });
    await untilListening(port, child);
    child.kill("SIGSTOP");
    const fillers = Array.from({ length: 8 }, () =>
      connect(port, "127.0.0.1").on("error", () => undefined),
    );
    const close = () => {
      fillers.forEach((socket) => socket.destroy());
      child.kill("SIGKILL");
    };
    return { port, close };
  },

  /** Answer correctly, after two seconds. */
  async slow() {
    const server = createServer((request, response) => {
      setTimeout(() => {
        response.writeHead(200, { "content-type": "image/png", "content-length": PNG.length });
        response.end(request.method === "HEAD" ? undefined : PNG);
      }, SLOW_MS);
    });
    const port = await listen(server, 0, "0.0.0.0");
    return { port, close: () => (server.closeAllConnections(), server.close()) };
  },

  /** Nobody listens. */
  async dead() {
    return { port: await freePort(), close: () => undefined };
  },
};

/** Sends all messages once, reports that, and then repeats them until it is told to stop. */
async function run({ kind, hosts, messages }) {
  const { port, close } = await kinds[kind]();
  const address = (index) => `127.1.${Math.floor(index / 250)}.${(index % 250) + 1}`;
  const media = (index) => `http://${address(index % hosts)}:${port}/${index % messages}`;
  let next = 0;
  let stopped = false;
  const connection = async () => {
    while (!stopped) {
      const index = next++;
      if (index === messages) parentPort.postMessage("sent");
      if (index >= messages) await pause((1000 * CONNECTIONS) / REPEATED_A_SECOND);
      await send(media(index)).catch(() => pause(100));
    }
  };
  parentPort.once("message", () => {
    stopped = true;
    close();
    process.exit();
  });
  await Promise.all(Array.from({ length: CONNECTIONS }, connection));
}

async function send(media) {
  const { url, key, from } = workerData;
  const answer = await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${key}` },
    body: JSON.stringify({ to: "6281234567890", from, Type: "media", url: media }),
  });
  await answer.arrayBuffer();
}

if (!isMainThread) await run(workerData);
