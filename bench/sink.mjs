// The receiver of callbacks of both sides: nginx, which answers and counts at little cost.
import { startNginx } from "./nginx.mjs";
import { freePort } from "./processes.mjs";

/**
 * Listens on `origins` loopback addresses, each a separate origin. `certificate`: its files, for
 * callbacks over HTTPS.
 */
export async function startSink(folder, origins = 1, certificate = undefined) {
  const counter = `127.0.0.1:${await freePort()}`;
  const { process, hosts } = await startNginx(folder, "sink", {
    addresses: origins,
    http: `  keepalive_timeout 600;
  default_type application/json;
  server {
    listen ${counter};
    location = /count { stub_status; }
  }`,
    server: `    location / { return 200 '{"ok":true}'; }`,
    certificate,
  });
  return new Sink(process, hosts, counter, certificate ? "https" : "http");
}

class Sink {
  #asked = 0; // Our own requests, which nginx counts too.

  constructor(process, hosts, counter, scheme) {
    this.urls = hosts.map((host) => `${scheme}://${host}/status`);
    this.url = this.urls[0];
    this.counter = `http://${counter}/count`;
    this.process = process;
  }

  /** Requests received so far, without those for the count itself. */
  async count() {
    const text = await (await fetch(this.counter)).text();
    this.#asked += 1;
    return Number(text.split("\n")[2].trim().split(" ")[2]) - this.#asked;
  }
}
