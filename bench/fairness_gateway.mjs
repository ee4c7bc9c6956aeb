// A gateway for the fairness benches: two accounts, and a clock and a resolver that can be set.
import { execFileSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { join, resolve } from "node:path";
import { SCOPES } from "./campaign_client.mjs";
import { freePort, start, until } from "./processes.mjs";

const BINARY = resolve(
  process.env.MERPATI_BINARY ?? join(import.meta.dirname, "../build/release/merpati"),
);
const FAKETIME = ["x86_64-linux-gnu", "aarch64-linux-gnu"]
  .map((machine) => `/usr/lib/${machine}/faketime/libfaketimeMT.so.1`)
  .find((file) => existsSync(file));

export class Gateway {
  #folder;
  #flags;
  #port;
  #child;
  #agent = new Agent({ keepAlive: true, maxSockets: 32 });

  /** `hosts`, `nameServer`: mounted over the files in /etc, which needs root. */
  static async start(folder, { hosts, nameServer, settableClock, badDevices = 16 } = {}) {
    const gateway = new Gateway();
    gateway.#folder = folder;
    gateway.#port = await freePort();
    const settings = {
      "http.listen": `127.0.0.1:${gateway.#port}`,
      "store.url": `sqlite:${join(folder, "merpati.db")}`,
      "simulator.latency_ms": 0,
      "outbound.allow": "127.0.0.0/8",
      "outbound.allow_http_callbacks": true,
      "log.level": "warn",
    };
    gateway.#flags = Object.entries(settings).flatMap(([k, v]) => ["--set", `${k}=${v}`]);
    gateway.accounts = {
      bad: gateway.#account("bad", badDevices),
      good: gateway.#account("good", 1),
    };
    gateway.setClock("+0");
    gateway.own = { hosts, nameServer, settableClock };
    await gateway.run();
    return gateway;
  }

  async run() {
    const { hosts, nameServer, settableClock } = this.own;
    let command = [BINARY, ...this.#flags, "serve"];
    const mounts = [];
    if (hosts) mounts.push(this.#mount("hosts", `127.0.0.1 localhost\n${hosts}\n`));
    if (nameServer) {
      mounts.push(this.#mount("resolv.conf", `nameserver ${nameServer}\n`));
      mounts.push(this.#mount("nsswitch.conf", "hosts: files dns\n"));
    }
    if (mounts.length > 0) {
      const script = `${mounts.join(" && ")} && exec "$@"`;
      command = ["unshare", "--mount", "sh", "-c", script, "sh", ...command];
    }
    const environment = settableClock
      ? {
          LD_PRELOAD: FAKETIME ?? fail("libfaketime is not installed"),
          FAKETIME_TIMESTAMP_FILE: join(this.#folder, "clock"),
          FAKETIME_NO_CACHE: "1",
          FAKETIME_DONT_FAKE_MONOTONIC: "1",
        }
      : {};
    const log = join(this.#folder, "merpati.log");
    const [program, ...args] = command;
    this.#child = start(program, args, { log, folder: this.#folder, environment });
    const ready = () =>
      fetch(`http://127.0.0.1:${this.#port}/readyz`).then((answer) => answer.ok, () => false);
    await until("merpati", ready, { child: this.#child, seconds: 120 });
  }

  /** `offset`: between its wall clock and the machine's, such as "+0" or "-2h". */
  setClock(offset) {
    writeFileSync(join(this.#folder, "clock"), `${offset}\n`);
  }

  async kill() {
    this.#child.kill("SIGKILL");
    await this.#child.ended;
  }

  get url() {
    return `http://127.0.0.1:${this.#port}/v1/send`;
  }

  /** Sends one message whose callback goes to `url`. */
  send(account, url) {
    const { key, devices } = account;
    account.turn = ((account.turn ?? 0) + 1) % devices.length;
    const body = JSON.stringify({
      to: "6281234567890",
      from: devices[account.turn],
      Type: "text",
      message: "Halo",
      callbackStatus: url,
    });
    return new Promise((resolve, reject) => {
      const headers = {
        "Content-Type": "application/json",
        "Content-Length": Buffer.byteLength(body),
        Authorization: `Bearer ${key}`,
      };
      const options = { port: this.#port, path: "/v1/send", method: "POST", agent: this.#agent };
      const sending = request({ ...options, host: "127.0.0.1", headers }, (answer) => {
        answer.resume();
        answer.on("end", () =>
          answer.statusCode === 200 ? resolve() : reject(new Error(`HTTP ${answer.statusCode}`)),
        );
      });
      sending.on("error", reject);
      sending.end(body);
    });
  }

  /** The value of one metric. */
  async figure(name) {
    const text = await (await fetch(`http://127.0.0.1:${this.#port}/metrics`)).text();
    return Number(new RegExp(`^${name}(?:{.*})? (\\S+)$`, "m").exec(text)?.[1]);
  }

  #account(name, devices) {
    const { id } = this.#command("account", "create", name, "--rate", "none");
    const { key } = this.#command("key", "create", id, "--scopes", SCOPES);
    const numbers = Array.from({ length: devices }, (_, index) =>
      String(6281110000000 + (name === "bad" ? 1000 : 0) + index),
    );
    numbers.forEach((number) => this.#command("device", "add", id, number));
    return { id, key, devices: numbers };
  }

  #command(...args) {
    return JSON.parse(
      execFileSync(BINARY, [...this.#flags, ...args, "--json"], { encoding: "utf8" }),
    );
  }

  #mount(name, content) {
    const file = join(this.#folder, name);
    writeFileSync(file, content);
    return `mount --bind '${file}' /etc/${name}`;
  }
}

function fail(message) {
  throw new Error(message);
}
