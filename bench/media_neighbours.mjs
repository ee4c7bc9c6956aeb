// Media hosts that are bad neighbours: each is a port or an address of its own on loopback.
import { createServer } from "node:http";
import { connect, createServer as createRawServer } from "node:net";
import { join } from "node:path";
import { freePort, start, untilListening } from "./processes.mjs";

const SLOW_MS = 2000;

const listen = (server, ...where) =>
  new Promise((resolve) => server.listen(...where, () => resolve(server.address().port)));

/** Answers {urls(count), close()}: `count` URLs, spread over the hosts. */
function group(hosts, close) {
  const urls = (count) =>
    Array.from({ length: count }, (_, index) => `http://${hosts[index % hosts.length]}/${index}`);
  return { urls, close };
}

const address = (index) => `127.1.${Math.floor(index / 250)}.${(index % 250) + 1}`;

/** Hosts that take a connection and never answer. */
export async function hanging(count) {
  const sockets = new Set();
  const server = createRawServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
  });
  const port = await listen(server, 0, "0.0.0.0");
  const hosts = Array.from({ length: count }, (_, index) => `${address(index)}:${port}`);
  return group(hosts, () => {
    sockets.forEach((socket) => socket.destroy());
    server.close();
  });
}

/** Hosts that do not even take a connection: a stopped process whose queue of them is full. */
export async function blackHoles(count, folder) {
  const port = await freePort();
  const script = `require("net").createServer().listen(${port}, "0.0.0.0", 1)`;
  const child = start(process.execPath, ["-e", script], { log: join(folder, "holes.log"), folder });
  await untilListening(port, child);
  child.kill("SIGSTOP");
  const fillers = Array.from({ length: 8 }, () =>
    connect(port, "127.0.0.1").on("error", () => undefined),
  );
  const hosts = Array.from({ length: count }, (_, index) => `${address(index)}:${port}`);
  return group(hosts, () => {
    fillers.forEach((socket) => socket.destroy());
    child.kill("SIGKILL");
  });
}

/** Hosts that answer well, but only after two seconds. */
export async function slow(count, content) {
  const server = createServer((request, response) => {
    setTimeout(() => {
      response.writeHead(200, { "content-type": "image/png", "content-length": content.length });
      response.end(request.method === "HEAD" ? undefined : content);
    }, SLOW_MS);
  });
  const port = await listen(server, 0, "0.0.0.0");
  const hosts = Array.from({ length: count }, (_, index) => `${address(index)}:${port}`);
  return group(hosts, () => (server.closeAllConnections(), server.close()));
}

/** Hosts where nobody listens. */
export async function dead(count) {
  const port = await freePort();
  return group(
    Array.from({ length: count }, (_, index) => `${address(index)}:${port}`),
    () => undefined,
  );
}

/** A host that answers at once; each path is a content of its own. */
export async function healthy(content) {
  const server = createServer((request, response) => {
    const body = Buffer.concat([content, Buffer.from(request.url)]);
    response.writeHead(200, { "content-type": "image/png", "content-length": body.length });
    response.end(request.method === "HEAD" ? undefined : body);
  });
  const port = await listen(server, 0, "127.0.0.1");
  return {
    url: (name) => `http://127.0.0.1:${port}/${name}`,
    close: () => (server.closeAllConnections(), server.close()),
  };
}
