// The stand-in platform as a separate program, and its phones, which can be linked to a gateway.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { request } from "node:http";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import type { Account } from "./account.ts";
import type { Gateway, Settings } from "./gateway.ts";
import { waitFor, within } from "./wait.ts";

interface Where {
  url: string;
  root_file: string;
  root_key: string;
  control: string;
}

export class Platform {
  private constructor(
    private readonly program: ChildProcess,
    private readonly where: Where,
  ) {}

  static async start(): Promise<Platform> {
    const start = resolve(import.meta.dirname, "../standin/start.mjs");
    const program = spawn(process.execPath, [start, "--with-parent"], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    const lines = createInterface({ input: program.stdout! });
    const [line] = (await within("the platform's line", once(lines, "line"), 60_000)) as [string];
    return new Platform(program, JSON.parse(line) as Where);
  }

  /** Settings with which a gateway's linked devices connect here. */
  get settings(): Settings {
    return {
      "linked.url": this.where.url,
      "linked.root_key": this.where.root_key,
      "outbound.ca_file": this.where.root_file,
    };
  }

  /** Sends a command to the stand-in; see tests/standin/README.md. */
  async ask(word: string, body: object = {}): Promise<any> {
    const options = { method: "POST", body: JSON.stringify(body) };
    const reply = await fetch(`${this.where.control}/${word}`, options);
    const json: any = await reply.json();
    if (!reply.ok) throw new Error(`${word}: ${json.error}`);
    return json;
  }

  async events(match: object, after = 0): Promise<any[]> {
    return (await this.ask("events", { match, after })).events;
  }

  /** Waits for the first matching event after that sequence. */
  async event(match: object, after = 0, wait = 30_000): Promise<any> {
    const { events } = await this.ask("events", { match, after, wait });
    if (events.length === 0) throw new Error(`no ${JSON.stringify(match)} within ${wait} ms`);
    return events[0];
  }

  /** The sequence of the newest event. */
  async last(): Promise<number> {
    return (await this.ask("events", { after: Number.MAX_SAFE_INTEGER })).last;
  }

  /** Adds a device without a pace, and links it to the phone of its number. */
  async link(account: Account, number: string, ...flags: string[]): Promise<void> {
    const unpaced = ["--gap", "0s", "--jitter", "0s", "--per-day", "none", "--warm-up", "0"];
    const { gateway } = account;
    await account.device(number, "--connector", "linked", ...unpaced, ...flags);
    const path = `/devices/${number}`;
    await manage(gateway, "POST", `${path}/pair`, { method: "qr" });
    const qr = await waitFor(
      "a QR code",
      async () => (await manage(gateway, "GET", `${path}/pairing`)).payload,
    );
    await this.ask("scan", { number, qr });
    await waitFor(
      `${number} to be connected`,
      async () => (await manage(gateway, "GET", path)).state === "connected",
    );
  }

  async end(): Promise<void> {
    const ended = once(this.program, "exit");
    this.program.stdin?.end();
    await within("the platform's end", ended);
  }
}

/** Calls the catalogue through the gateway's management socket. */
export function manage(
  gateway: Gateway,
  method: string,
  path: string,
  body?: object,
): Promise<any> {
  const socketPath = gateway.own(".sock");
  const text = body && JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const asked = request({ socketPath, method, path: `/v1${path}` }, async (answer) => {
      const pieces: Buffer[] = [];
      for await (const piece of answer) pieces.push(piece as Buffer);
      const json = JSON.parse(Buffer.concat(pieces).toString() || "{}");
      if (answer.statusCode! < 300) resolve(json);
      else reject(new Error(`${method} ${path}: ${answer.statusCode} ${JSON.stringify(json)}`));
    });
    asked.on("error", reject);
    if (text) asked.setHeader("content-type", "application/json");
    asked.end(text);
  });
}
