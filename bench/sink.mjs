// The receiver of callbacks of both sides: nginx, which answers and counts at little cost.
import { startNginx } from "./nginx.mjs";

/** Listens on `origins` loopback addresses, each a separate origin. */
export async function startSink(folder, origins = 1) {
  const { process, hosts } = await startNginx(folder, "sink", {
    addresses: origins,
    http: `  keepalive_timeout 600;
  default_type application/json;`,
    server: `    location / { return 200 '{"ok":true}'; }
    location = /count { stub_status; }`,
  });
  return new Sink(process, hosts);
}

class Sink {
  #asked = 0; // Our own requests, which nginx counts too.

  constructor(process, hosts) {
    this.urls = hosts.map((host) => `http://${host}/status`);
    this.url = this.urls[0];
    this.counter = `http://${hosts[0]}/count`;
    this.process = process;
  }

  /** Requests received so far, without those for the count itself. */
  async count() {
    const text = await (await fetch(this.counter)).text();
    this.#asked += 1;
    return Number(text.split("\n")[2].trim().split(" ")[2]) - this.#asked;
  }
}
