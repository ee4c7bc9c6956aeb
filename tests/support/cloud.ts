// The test server of the official platform, a gateway that uses it, and numbers of it.
import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Graph, type GraphOptions } from "../graph/graph.ts";
import type { BusinessNumber, NewNumber } from "../graph/number.ts";
import type { Taken } from "../graph/payloads.ts";
import type { Account } from "./account.ts";
import type { CommandResult } from "./binary.ts";
import { sendText, type Sent } from "./callback_shop.ts";
import { Gateway, type AccountFlags, type Settings } from "./gateway.ts";
import { freshNumber } from "./numbers.ts";
import { manage } from "./platform.ts";
import { scratchFolder } from "./scratch.ts";
import { Sink } from "./sink.ts";
import { waitFor } from "./wait.ts";

export interface CloudOptions {
  settings?: Settings;
  account?: AccountFlags;
  graph?: GraphOptions;
  secret?: boolean; // False: the gateway knows no app secret.
}

const unpaced = ["--gap", "0s", "--jitter", "0s", "--per-day", "none", "--warm-up", "0"];

export class Cloud {
  readonly verifyToken = randomBytes(12).toString("hex");
  readonly folder = scratchFolder("cloud");
  gateway!: Gateway;
  account!: Account;
  number!: BusinessNumber; // The first one, which is connected.

  private constructor(
    readonly graph: Graph,
    readonly sink: Sink,
  ) {}

  static async open(options: CloudOptions = {}): Promise<Cloud> {
    const graph = await Graph.start(options.graph);
    const cloud = new Cloud(graph, await Sink.open({ secure: false }));
    const secretFile = cloud.write("app_secret", graph.secret);
    const gateway = await Gateway.create({
      settings: {
        "cloud.url": graph.url,
        "cloud.status_wait": "1s",
        "cloud.verify_token": cloud.verifyToken,
        "outbound.allow_http_callbacks": true,
        "scheduler.retry_first": "100ms",
        ...(options.secret !== false && { "cloud.app_secret_file": secretFile }),
        ...options.settings,
      },
    });
    for (const secret of [graph.secret, cloud.verifyToken]) gateway.secrets.add(secret);
    cloud.gateway = gateway;
    await graph.subscribe(cloud.hook, cloud.verifyToken);
    cloud.account = await gateway.account(options.account);
    await cloud.account.createKey();
    cloud.number = await cloud.connect();
    return cloud;
  }

  /** Where the platform posts. */
  get hook(): string {
    return `${this.gateway.url}/v1/platform/cloud`;
  }

  /** A file with a secret; a trailing newline belongs to no secret. */
  write(name: string, content: string): string {
    const path = join(this.folder, name);
    writeFileSync(path, `${content}\n`, { mode: 0o600 });
    return path;
  }

  /** The flags that name a number of the platform. */
  access(number: BusinessNumber): string[] {
    this.gateway.secrets.add(number.token);
    const token = this.write(`token-${number.id}`, number.token);
    return ["--connector", "cloud", "--phone-number-id", number.id, "--token-file", token];
  }

  /** Adds a number of the platform as a device without a pace, whose events go to /NUMBER. */
  async connect(
    made: Partial<NewNumber> = {},
    account = this.account,
    ...flags: string[]
  ): Promise<BusinessNumber> {
    const number = this.graph.addNumber({ number: freshNumber(), ...made });
    const webhook = ["--webhook", this.sink.url(`/${number.digits}`)];
    const all = [...this.access(number), "--waba-id", number.waba, ...unpaced, ...webhook];
    await account.device(number.digits, ...all, ...flags);
    return number;
  }

  send(to = freshNumber(), from = this.number, account = this.account): Promise<Sent> {
    return sendText(this.sink, account, from.digits, to);
  }

  /** The callback that says how a message ended. */
  async end(sent: Sent, deadline = 20_000): Promise<any> {
    return (await this.sink.request(sent.path, deadline)).json;
  }

  /** The ids of all callbacks about a message: one that is repeated has the same id. */
  ends(sent: Sent): number {
    return new Set(this.sink.at(sent.path).map(({ headers }) => headers["webhook-id"])).size;
  }

  /** Sends, and waits for the end. */
  async outcome(to?: string, from?: BusinessNumber): Promise<any> {
    return this.end(await this.send(to, from));
  }

  /** Waits until the platform has taken so many messages with this text. */
  taken(text: string, count = 1): Promise<Taken[]> {
    return waitFor(`the platform to take "${text}"`, () => {
      const found = this.graph.of(text);
      return found.length >= count ? found : undefined;
    });
  }

  /** What the webhook of a device has received. */
  events(number: BusinessNumber, event: string): any[] {
    return this.sink
      .at(`/${number.digits}`)
      .map(({ json }) => json)
      .filter((json) => json.event === event)
      .map(({ data }) => data);
  }

  device(number: BusinessNumber): Promise<any> {
    return manage(this.gateway, "GET", `/devices/${number.digits}`);
  }

  async state(message: string): Promise<string> {
    return (await this.gateway.json("message", "show", message)).state;
  }

  async until(message: string, state: string): Promise<void> {
    const reached = async () => (await this.state(message)) === state;
    await waitFor(`${message} to be ${state}`, reached, 20_000);
  }

  async untilDevice(number: BusinessNumber, state: string): Promise<any> {
    return waitFor(`the device to be ${state}`, async () => {
      const device = await this.device(number);
      return device.state === state ? device : undefined;
    });
  }

  cli(...args: string[]): Promise<CommandResult> {
    return this.gateway.cli(...args);
  }

  async close(): Promise<void> {
    await this.graph.end();
    await this.gateway.close();
    await this.sink.close();
  }
}
