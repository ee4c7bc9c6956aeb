// The gateway of the month: its own small disk and clock where the machine allows them, linked
// devices on the stand-in platform, kills, restarts, a full disk and clock steps.
import { execFile, execFileSync } from "node:child_process";
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  rmSync,
  statfsSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { startPlatform } from "../linked_world.mjs";
import { freePort, isRunning, start, stop, until } from "../processes.mjs";

const BINARY = resolve(
  process.env.MERPATI_BINARY ?? join(import.meta.dirname, "../../build/release/merpati"),
);
const STEPS = process.env.BENCH_MONTH_CLOCK !== "no";
// Kept for an hour longer than all else, because they are old by whole hours: so the counts of an
// hour can be read when it is over, and are removed after the next step of an hour.
const BOOKS = ["retention.usage", "retention.ledger"];
const HOUR_SECONDS = 3600;
const DISK_BYTES = 12 * 1024 ** 3;
// Written piece by piece, because the file system needs some of it for its own records.
const REST_BYTES = 64 << 20;
const FAKETIME = ["x86_64-linux-gnu", "aarch64-linux-gnu"]
  .map((machine) => `/usr/lib/${machine}/faketime/libfaketimeMT.so.1`)
  .find((file) => STEPS && existsSync(file));

export class World {
  #seconds = 0; // How far the gateway's clock is ahead of the machine's.
  #hours = 0;

  /** `leftOut`: what this machine cannot do, in words. A failure leaves no disk mounted. */
  static async create(options) {
    const world = new World();
    try {
      await world.#prepare(options);
    } catch (error) {
      await world.end();
      throw error;
    }
    return world;
  }

  async #prepare({ folder, linkedDevices, settings, retention, platformFolder }) {
    this.leftOut = [];
    this.folder = folder;
    this.disk = mountDisk(folder);
    if (!this.disk) this.leftOut.push("a full disk (this user may not mount one)");
    if (!STEPS) this.leftOut.push("clock steps (BENCH_MONTH_CLOCK=no)");
    else if (!FAKETIME) this.leftOut.push("clock steps (libfaketime is not installed)");
    this.port = await freePort();
    this.platform = linkedDevices > 0 ? await startPlatform(platformFolder) : undefined;
    this.file = join(this.disk ?? this.folder, "merpati.db");
    const all = {
      "http.listen": `127.0.0.1:${this.port}`,
      "store.url": `sqlite:${this.file}`,
      "simulator.latency_ms": 2,
      "outbound.allow": "127.0.0.0/8",
      "outbound.allow_http_callbacks": true,
      "log.level": "warn",
      "log.format": "json",
      ...this.platform?.settings,
      ...settings,
    };
    this.flags = Object.entries(all).flatMap(([key, value]) => ["--set", `${key}=${value}`]);
    for (const [key, value] of retentionOf(this, retention)) {
      this.flags.push("--set", `${key}=${value}`);
    }
    this.setClock(0);
  }

  /** Runs a command on the store; its result. */
  command(...args) {
    return JSON.parse(
      execFileSync(BINARY, [...this.flags, ...args, "--json"], {
        encoding: "utf8",
        maxBuffer: 1 << 28,
      }),
    );
  }

  /** Runs a command while the month goes on; one at a time. */
  commandBeside(...args) {
    this.beside = promisify(execFile)(BINARY, [...this.flags, ...args, "--json"]);
    return this.beside;
  }

  async start() {
    // A command that met no server has opened the store itself.
    await Promise.allSettled([this.beside]);
    const environment = FAKETIME && {
      LD_PRELOAD: FAKETIME,
      FAKETIME_TIMESTAMP_FILE: join(this.folder, "clock"),
      FAKETIME_CACHE_DURATION: "1",
      FAKETIME_DONT_FAKE_MONOTONIC: "1",
    };
    this.log = join(this.folder, "merpati.log");
    const options = { log: this.log, folder: this.folder, environment };
    this.child = start(BINARY, [...this.flags, "serve"], options);
    const ready = () =>
      fetch(`http://127.0.0.1:${this.port}/readyz`).then((answer) => answer.ok, () => false);
    await until("merpati", ready, { child: this.child, seconds: 120, every: 20 });
  }

  async kill() {
    this.child.kill("SIGKILL");
    await this.child.ended;
    await this.start();
  }

  async restart() {
    await this.stopGateway();
    await this.start();
  }

  async stopGateway() {
    if (!isRunning(this.child)) return;
    await stop(this.child);
    const code = await this.child.ended;
    if (code !== 0) throw new Error(`the gateway ended with ${code}: see ${this.log}`);
  }

  /** Whether the gateway's clock can be set. */
  get hasSteps() {
    return FAKETIME !== undefined;
  }

  /** The time by the gateway's clock. */
  now() {
    return Date.now() + (this.hasSteps ? this.#offset * 1000 : 0);
  }

  /** Sets the gateway's clock this many seconds ahead. */
  setClock(seconds) {
    this.#seconds = seconds;
    writeFileSync(join(this.folder, "clock"), `+${this.#offset}s\n`);
  }

  /** Sets it an hour ahead for good. */
  passHour() {
    this.#hours += 1;
    this.setClock(this.#seconds);
  }

  get #offset() {
    return this.#hours * HOUR_SECONDS + this.#seconds;
  }

  /** Fills the disk; `freeDisk` frees it again. */
  fillDisk() {
    if (!this.disk) return;
    const { bavail, bsize } = statfsSync(this.disk);
    const bulk = bavail * bsize - REST_BYTES;
    if (bulk > 0) execFileSync("fallocate", ["-l", `${bulk}`, join(this.disk, "filler")]);
    const rest = openSync(join(this.disk, "filler-rest"), "w");
    try {
      for (const piece = Buffer.alloc(64 << 10); ; ) writeSync(rest, piece);
    } catch (error) {
      if (error.code !== "ENOSPC") throw error;
    } finally {
      closeSync(rest);
    }
  }

  freeDisk() {
    if (!this.disk) return;
    for (const name of ["filler", "filler-rest"]) rmSync(join(this.disk, name), { force: true });
  }

  async end() {
    try {
      await this.stopGateway();
    } finally {
      if (this.platform) await stop(this.platform.process);
      if (this.disk) execFileSync("umount", [this.disk]);
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A file system of its own in a file; undefined: this user may not mount one. */
function mountDisk(folder) {
  const [image, place] = [join(folder, "disk.img"), join(folder, "d")];
  mkdirSync(place);
  try {
    execFileSync("truncate", ["-s", `${DISK_BYTES}`, image]);
    execFileSync("mkfs.ext4", ["-q", "-F", "-m", "0", image], { stdio: "ignore" });
    execFileSync("mount", ["-o", "loop", image, place], { stdio: "ignore" });
    return place;
  } catch {
    rmSync(image, { force: true });
    return undefined;
  }
}

/** The settings of retention, each at `seconds`, those of books at an hour more. */
function retentionOf(world, seconds) {
  return Object.keys(world.command("config", "show"))
    .filter((key) => key.startsWith("retention."))
    .map((key) => [key, `${seconds + (BOOKS.includes(key) ? HOUR_SECONDS : 0)}s`]);
}
