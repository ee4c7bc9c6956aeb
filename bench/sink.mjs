// Where callbacks of both sides go: nginx, which answers and counts, and costs little.
import { startNginx } from "./nginx.mjs";

/** Listens on so many loopback addresses, each an origin of its own. */
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
  #asked = 0; // nginx counts our own questions as well.

  constructor(process, hosts) {
    this.urls = hosts.map((host) => `http://${host}/status`);
    this.url = this.urls[0];
    this.counter = `http://${hosts[0]}/count`;
    this.process = process;
  }

  /** Requests received so far, without these questions. */
  async count() {
    const text = await (await fetch(this.counter)).text();
    this.#asked += 1;
    return Number(text.split("\n")[2].trim().split(" ")[2]) - this.#asked;
  }
}
