// neighbour.mjs KIND HOST PORT: a bad neighbour, a receiver of callbacks that behaves as KIND says.
// Prints its port.
import { createServer } from "node:http";

const SLOW_MILLISECONDS = 2000;

const [kind, host, port] = process.argv.slice(2);
const answers = {
  hang: () => {},
  slow: (response) => setTimeout(() => response.end("{}"), SLOW_MILLISECONDS),
  missing: (response) => response.writeHead(404).end("{}"),
  broken: (response) => response.writeHead(503).end("{}"),
};

const server = createServer((request, response) => {
  request.resume();
  request.on("end", () => answers[kind](response));
});
server.requestTimeout = 0;
server.keepAliveTimeout = 60_000;
// The caller stops a neighbour of the kind "full". It then accepts no connections, and when its
// listen queue is full the kernel drops further ones.
server.listen({ port: Number(port), host, backlog: kind === "full" ? 1 : 4096 }, () => {
  console.log(server.address().port);
});
