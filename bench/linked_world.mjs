// Linked devices for benches: the stand-in platform as a program, and a gateway that is linked to
// its phones.
import { readFileSync, readdirSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { startMerpati } from "./merpati.mjs";
import { start, until } from "./processes.mjs";

const LINKING_AT_ONCE = 4;
const FIRST_NUMBER = 6281100000001;
const FIRST_FRIEND = 6281200000001;
const UNPACED = ["--gap", "0s", "--jitter", "0s", "--per-day", "none", "--warm-up", "0"];

export async function startPlatform(folder) {
  const log = join(folder, "platform.log");
  const program = join(import.meta.dirname, "../tests/standin/start.mjs");
  const child = start(process.execPath, [program], { log, folder });
  const said = () => /^\{.*\}$/m.exec(readFileSync(log, "utf8"));
  await until("the platform", () => said() !== null, { child, seconds: 120 });
  return new Platform(child, JSON.parse(said()[0]));
}

class Platform {
  constructor(child, where) {
    this.process = child;
    this.settings = {
      "linked.url": where.url,
      "linked.root_key": where.root_key,
      "outbound.ca_file": where.root_file,
    };
    this.control = where.control;
  }

  /** Sends a command to the stand-in; see tests/standin/README.md. */
  async ask(word, body = {}) {
    const reply = await fetch(`${this.control}/${word}`, {
      method: "POST",
      body: JSON.stringify(body),
    });
    const json = await reply.json();
    if (!reply.ok) throw new Error(`${word}: ${json.error}`);
    return json;
  }

  /** Registers numbers that can receive messages. */
  async friends(count) {
    const numbers = Array.from({ length: count }, (_, index) => `${FIRST_FRIEND + index}`);
    for (const number of numbers) await this.ask("register", { number });
    return numbers;
  }
}

/** Starts a gateway with `devices` devices, all connected and without a pace. */
export async function startLinked({ folder, platform, devices, settings = {} }) {
  const numbers = Array.from({ length: devices }, (_, index) => `${FIRST_NUMBER + index}`);
  const merpati = await startMerpati({
    folder,
    devices: 0,
    settings: { ...platform.settings, ...settings },
    prepare: (command, account) => {
      for (const number of numbers) {
        command("device", "add", account, number, "--connector", "linked", ...UNPACED);
      }
    },
  });
  const linked = new Linked(merpati, join(folder, "merpati.db.sock"), numbers);
  await linked.pair(platform);
  return linked;
}

export class Linked {
  /** `others`: devices of this gateway that are connected besides `numbers`. */
  constructor(merpati, socketPath, numbers, others = 0) {
    this.merpati = merpati;
    this.socketPath = socketPath;
    this.numbers = numbers;
    this.others = others;
  }

  get gateway() {
    return this.merpati.processes[0];
  }

  /** The worker's process; undefined: there is none. */
  get worker() {
    const pid = readdirSync("/proc").find((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, "utf8");
        return Number(stat.slice(stat.lastIndexOf(")")).split(" ")[2]) === this.gateway.pid;
      } catch {
        return false; // Not a process, or it has ended meanwhile.
      }
    });
    return pid && { pid: Number(pid) };
  }

  async pair(platform) {
    const waiting = [...this.numbers];
    const next = async () => {
      for (let number = waiting.shift(); number; number = waiting.shift()) {
        await this.manage("POST", `/devices/${number}/pair`, { method: "qr" });
        let qr;
        const shown = async () => {
          ({ payload: qr } = await this.manage("GET", `/devices/${number}/pairing`));
          return qr;
        };
        const patience = { child: this.gateway, seconds: 120 };
        await until(`a QR code for ${number}`, shown, patience);
        await platform.ask("scan", { number, qr });
      }
    };
    await Promise.all(Array.from({ length: LINKING_AT_ONCE }, next));
    await this.connected();
  }

  async connected() {
    const state = 'devices{state="connected"}';
    const all = async () => (await this.figure(state)) === this.numbers.length + this.others;
    const patience = { child: this.gateway, seconds: 120, every: 10 };
    await until("all devices to be connected", all, patience);
  }

  async post(body) {
    const answer = await fetch(this.merpati.url, {
      method: "POST",
      headers: {
        authorization: `Bearer ${this.merpati.environment.BENCH_KEY}`,
        "content-type": "application/json",
      },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`refused: ${await answer.text()}`);
  }

  /** How many messages the platform has taken since the gateway's start. */
  sent() {
    return this.figure('messages_finished_total{state="sent",code="200"}');
  }

  /** The value of one metric. */
  async figure(name) {
    const text = await (await fetch(new URL("/metrics", this.merpati.url))).text();
    const line = text.split("\n").find((each) => each.startsWith(`merpati_${name} `));
    return line ? Number(line.split(" ").at(-1)) : 0;
  }

  /** Calls an operation through the management socket. */
  manage(method, path, body) {
    return new Promise((resolve, reject) => {
      const options = { socketPath: this.socketPath, method, path: `/v1${path}` };
      const asked = request(options, async (answer) => {
        let text = "";
        for await (const piece of answer.setEncoding("utf8")) text += piece;
        if (answer.statusCode < 300) resolve(JSON.parse(text || "{}"));
        else reject(new Error(`${method} ${path}: ${answer.statusCode} ${text}`));
      });
      asked.on("error", reject);
      if (body) asked.setHeader("content-type", "application/json");
      asked.end(body && JSON.stringify(body));
    });
  }
}
