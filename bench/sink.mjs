// Where callbacks of both sides go: nginx, which answers and counts, and costs little.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort, start, untilListening } from "./processes.mjs";

/** Listens on so many loopback addresses, each an origin of its own. */
export async function startSink(folder, origins = 1) {
  const port = await freePort();
  mkdirSync(join(folder, "temporary"), { recursive: true });
  writeFileSync(join(folder, "sink.conf"), configuration(folder, port, origins));
  const child = start("nginx", ["-c", join(folder, "sink.conf"), "-e", join(folder, "sink.log")], {
    log: join(folder, "sink.log"),
    folder,
  });
  await untilListening(port, child);
  return new Sink(port, child, origins);
}

class Sink {
  #asked = 0; // nginx counts our own questions as well.

  constructor(port, child, origins) {
    this.urls = addresses(origins).map((address) => `http://${address}:${port}/status`);
    this.url = this.urls[0];
    this.counter = `http://127.0.0.1:${port}/count`;
    this.process = child;
  }

  /** Requests received so far, without these questions. */
  async count() {
    const text = await (await fetch(this.counter)).text();
    this.#asked += 1;
    return Number(text.split("\n")[2].trim().split(" ")[2]) - this.#asked;
  }
}

function addresses(count) {
  return Array.from({ length: count }, (_, index) => `127.0.0.${index + 1}`);
}

function configuration(folder, port, origins) {
  const listen = addresses(origins)
    .map((address) => `    listen ${address}:${port} backlog=4096;`)
    .join("\n");
  const places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `  ${name}_temp_path ${folder}/temporary;`)
    .join("\n");
  return `worker_processes 1;
daemon off;
pid ${folder}/sink.pid;
events { worker_connections 8192; multi_accept on; }
http {
${places}
  access_log off;
  keepalive_requests 1000000000;
  keepalive_timeout 600;
  tcp_nodelay on;
  default_type application/json;
  server {
${listen}
    location / { return 200 '{"ok":true}'; }
    location = /count { stub_status; }
  }
}
`;
}
