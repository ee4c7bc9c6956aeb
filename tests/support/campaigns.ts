// Campaigns as their owner uses them: with a key, over HTTP.
import type { Account } from "./account.ts";
import { call, keyWith, SCOPES } from "./catalogue.ts";
import type { Answer, Json } from "./contract.ts";
import type { Gateway } from "./gateway.ts";
import { waitFor } from "./wait.ts";

export interface Row {
  row: number;
  number: string | null;
  state: string;
  message: string | null;
}

export class Campaigns {
  private readonly gateway: Gateway;
  private readonly key: string; // With every scope but admin.

  private constructor(gateway: Gateway, key: string) {
    this.gateway = gateway;
    this.key = key;
  }

  static async of(account: Account): Promise<Campaigns> {
    return new Campaigns(account.gateway, await keyWith(account, SCOPES));
  }

  /** The same, asked of another node. */
  by(gateway: Gateway): Campaigns {
    return new Campaigns(gateway, this.key);
  }

  ask(
    method: string,
    path: string,
    body?: unknown,
    headers = {},
  ): Promise<Answer & { json: Json }> {
    const by = { key: this.key, headers };
    return call(this.gateway, { method, path: `/v1/campaigns${path}` }, by, body);
  }

  /** A call that must succeed. */
  async done(method: string, path: string, body?: unknown, headers = {}): Promise<Json> {
    const answer = await this.ask(method, path, body, headers);
    if (answer.status !== 200)
      throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.json;
  }

  /** A draft that needs no consent and has no quiet hours. Resolves with its id. */
  async create(devices: string[], more: object = {}): Promise<string> {
    const plan = { name: "Kabar", purpose: "transactional", message: "Halo {{nama|Kak}}", devices };
    return (await this.done("POST", "", { ...plan, ...more })).id;
  }

  upload(id: string, csv: string): Promise<Json> {
    return this.done("POST", `/${id}/recipients`, csv, { "content-type": "text/csv" });
  }

  /** start, pause, resume, cancel. */
  act(id: string, what: string, body: object = {}): Promise<Json> {
    return this.done("POST", `/${id}/${what}`, body);
  }

  /** Cancels it, unless it finished meanwhile. */
  async end(id: string): Promise<void> {
    const answer = await this.ask("POST", `/${id}/cancel`, {});
    if (answer.status !== 200 && answer.json.code !== "conflict")
      throw new Error(`end of ${id}: ${answer.status} ${answer.text}`);
  }

  show(id: string): Promise<Json> {
    return this.done("GET", `/${id}`);
  }

  async until(id: string, state: string, deadline = 30_000): Promise<Json> {
    const reached = async () => {
      const shown = await this.show(id);
      return shown.state === state && shown;
    };
    return waitFor(`${id} to be ${state}`, reached, deadline);
  }

  /** Every recipient, in the order of rows. */
  async rows(id: string): Promise<Row[]> {
    const { text } = await this.ask("GET", `/${id}/recipients/export?format=ndjson`);
    return text.split("\n").flatMap((line): Row[] => (line ? [JSON.parse(line)] : []));
  }
}
