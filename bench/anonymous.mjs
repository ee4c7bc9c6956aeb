// How much memory clients without a key can make a gateway hold: many never read an answer, and
// many begin a TLS handshake and stop. Also measures whether an honest client is served meanwhile.
import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { connect as connectTls } from "node:tls";
import { makeCertificate } from "./certificate.mjs";
import { connectAll, honestCalls, peakWhile } from "./crowd.mjs";
import { startMerpati } from "./merpati.mjs";
import { memory, stop } from "./processes.mjs";
import { table } from "./statistics.mjs";

export const TARGET = 64;
const READERS = 8_000;
const HANDSHAKES = 3_000;
const HEALTH_CHECK = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n";

export async function anonymous({ scratch }) {
  return {
    target: TARGET,
    rows: [
      await attack("clients that never read /openapi.yaml", {
        folder: scratch("readers"),
        clients: READERS,
        first: "GET /openapi.yaml HTTP/1.1\r\nHost: a\r\n\r\n".repeat(20),
      }),
      await attack("unfinished TLS handshakes", {
        folder: scratch("handshakes"),
        clients: HANDSHAKES,
        tls: true,
      }),
    ],
  };
}

async function attack(name, { folder, clients, first, tls = false }) {
  const settings = tls ? certificate(folder) : {};
  const { processes, url } = await startMerpati({ folder, settings, tls });
  const { port } = new URL(url);
  const idle = memory(processes[0]).resident;
  const hello = tls ? await clientHello() : undefined;
  const bytes = hello ?? Buffer.from(first);
  const { peak, answer } = await peakWhile(processes[0], async () => {
    const open = await connectAll(port, { bytes, clients, inARow: 200, pauseMs: 20 });
    const honest = await honestCalls(port, HEALTH_CHECK, { tls });
    await pause(1_000);
    return { open, honest };
  });
  answer.open.forEach((socket) => socket.destroy());
  await stop(...processes);
  return { name, clients, idle, peak, ...answer.honest };
}

/** The first bytes of a TLS client, as a server that does not answer receives them. */
async function clientHello() {
  const server = createServer();
  const port = await new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve(server.address().port));
  });
  const client = connectTls({ port, host: "127.0.0.1", rejectUnauthorized: false });
  client.on("error", () => {});
  const [socket] = await once(server, "connection");
  const [hello] = await once(socket, "data");
  client.destroy();
  socket.destroy();
  server.close();
  return hello;
}

function certificate(folder) {
  const { file, key } = makeCertificate(folder);
  return { "http.tls.certificate": file, "http.tls.key": key };
}

export function describeAnonymous({ rows, target }) {
  const met = rows.every(({ peak, served, tries }) => peak <= target && served === tries);
  return [
    "anonymous: clients without a key, all from one address, and an honest one from another",
    table([
      ["clients", "resident before", "at most", "honest served"],
      ...rows.map(({ name, clients, idle, peak, served, tries }) => [
        `${clients} ${name}`,
        `${idle.toFixed(1)} MiB`,
        `${peak.toFixed(1)} MiB`,
        `${served} of ${tries}`,
      ]),
    ]),
    `  target at most ${target} MiB, every honest one: ${met ? "met" : "MISSED"}`,
  ].join("\n");
}
