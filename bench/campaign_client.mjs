// Campaigns of a gateway under measurement.
import { createReadStream, createWriteStream } from "node:fs";
import { once } from "node:events";
import { request } from "node:http";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { startMerpati } from "./merpati.mjs";

export const SCOPES = "send,campaigns:read,campaigns:manage";
// As long as the API's message of send.lua, so that the sides of a comparison write as much.
const MESSAGE =
  "Halo {{nama}}, kode verifikasi Anda adalah 482913. Jangan berikan kepada siapa pun, juga " +
  "kepada pegawai kami; kode ini berlaku 10 menit.";

/** As startMerpati; resolves with the same, and {campaigns}. */
export async function startWithCampaigns({ callback, ...options }) {
  let key;
  const gateway = await startMerpati({
    ...options,
    callback,
    prepare: (command, account) => {
      key = command("key", "create", account, "--scopes", SCOPES).key;
    },
  });
  const { origin } = new URL(gateway.url);
  const devices = gateway.environment.BENCH_FROM.split(" ");
  const campaigns = new CampaignClient({ origin, key, devices, callback: callback ?? null });
  return { ...gateway, campaigns };
}

export class CampaignClient {
  constructor({ origin, key, devices, callback }) {
    this.origin = origin;
    this.key = key;
    this.plan = { name: "bench", purpose: "transactional", message: MESSAGE, devices, callback };
  }

  /** A draft; resolves with its id. */
  async create(more = {}) {
    return (await this.#call("POST", "", { ...this.plan, ...more })).id;
  }

  /** Adds a list to a draft, from a file of `writeList`. */
  async upload(id, file) {
    const asking = request(`${this.origin}/v1/campaigns/${id}/recipients`, {
      method: "POST",
      agent: false,
      headers: { Authorization: `Bearer ${this.key}`, "Content-Type": "text/csv" },
    });
    createReadStream(file, { highWaterMark: 262_144 }).pipe(asking);
    const [answer] = await once(asking, "response");
    let text = "";
    for await (const piece of answer.setEncoding("utf8")) text += piece;
    if (answer.statusCode !== 200) throw new Error(`upload: ${answer.statusCode} ${text}`);
    return JSON.parse(text);
  }

  /** start, pause, resume, cancel. */
  act(id, what) {
    return this.#call("POST", `/${id}/${what}`, {});
  }

  show(id) {
    return this.#call("GET", `/${id}`);
  }

  /** Waits until fewer than `open` of its recipients are pending or queued. */
  async untilOpen(id, open, seconds = 1_800) {
    const end = performance.now() + seconds * 1000;
    for (;;) {
      const { counts, state } = await this.show(id);
      if (counts.pending + counts.queued < open) return counts;
      if (performance.now() > end) throw new Error(`${id} is ${state}: ${JSON.stringify(counts)}`);
      await pause(200);
    }
  }

  async #call(method, path, body) {
    const answer = await fetch(`${this.origin}/v1/campaigns${path}`, {
      method,
      headers: { Authorization: `Bearer ${this.key}`, "Content-Type": "application/json" },
      body: body && JSON.stringify(body),
    });
    const json = await answer.json();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(json)}`);
    return json;
  }
}

/** Writes a list of `rows` people, different for each `first`; resolves with the file's name. */
export async function writeList(folder, rows, first = 0) {
  const file = join(folder, `list-${first}.csv`);
  const stream = createWriteStream(file);
  stream.write("nomor,nama\n");
  for (let row = 0; row < rows; ) {
    let piece = "";
    for (const end = Math.min(rows, row + 10_000); row < end; row += 1) {
      // None ends in digits for which the simulator plays something.
      piece += `6281${String(first + row).padStart(8, "0")}7,Pelanggan ${row}\n`;
    }
    if (!stream.write(piece)) await once(stream, "drain");
  }
  stream.end();
  await once(stream, "finish");
  return file;
}
