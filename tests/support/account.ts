// An account as its owner uses it: with a key, over HTTP.
import type { Agent } from "node:http";
import type { Answer } from "./contract.ts";
import type { Gateway } from "./gateway.ts";
import { freshNumber } from "./numbers.ts";

export interface Reply extends Answer {
  json: any;
}

export interface RequestOptions {
  key?: string | null; // Null: no Authorization header.
  headers?: Record<string, string>;
  deadline?: number;
  agent?: Agent; // For callers that keep their connection.
}

export interface KeyFlags {
  revision?: "A" | "B" | "auto";
  name?: string;
  scopes?: string;
}

export class Account {
  readonly gateway: Gateway;
  readonly id: string;
  readonly webhookSecret: string;
  key = ""; // The first key made.
  keyId = "";

  constructor(gateway: Gateway, id: string, webhookSecret: string) {
    this.gateway = gateway;
    this.id = id;
    this.webhookSecret = webhookSecret;
  }

  async createKey(flags: KeyFlags = {}): Promise<{ id: string; key: string }> {
    const args = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value]);
    const made = await this.gateway.json("key", "create", this.id, ...args);
    this.gateway.secrets.add(made.key);
    if (!this.key) {
      this.key = made.key;
      this.keyId = made.id;
    }
    return made;
  }

  /** Adds a simulated device, which is connected at once. */
  async device(number = freshNumber(), ...flags: string[]): Promise<string> {
    await this.gateway.json("device", "add", this.id, number, ...flags);
    return number;
  }

  send(body: unknown, options: RequestOptions = {}): Promise<Reply> {
    return this.post("/v1/send", body, options);
  }

  addDevice(body: unknown, options: RequestOptions = {}): Promise<Reply> {
    return this.post("/v1/device/addnew", body, options);
  }

  /** Posts a value as JSON; posts text and bytes unchanged. */
  async post(path: string, body: unknown, options: RequestOptions = {}): Promise<Reply> {
    const key = options.key === undefined ? this.key : options.key;
    const raw = typeof body === "string" || Buffer.isBuffer(body);
    const answer = await this.gateway.request({
      method: "POST",
      path,
      headers: {
        "content-type": "application/json",
        ...(key !== null && { authorization: `Bearer ${key}` }),
        ...options.headers,
      },
      body: raw ? body : JSON.stringify(body),
      deadline: options.deadline,
      agent: options.agent,
    });
    return { ...answer, json: JSON.parse(answer.text) };
  }
}

/** An account with a key and a connected device, for most tests. */
export async function shop(
  gateway: Gateway,
  flags: Parameters<Gateway["account"]>[0] = {},
  key: KeyFlags = {},
): Promise<{ account: Account; device: string }> {
  const account = await gateway.account(flags);
  await account.createKey(key);
  const device = await account.device();
  return { account, device };
}
