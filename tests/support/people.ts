// People: created on the command line, and signed in over HTTP as in the web app.
import { createHmac } from "node:crypto";
import { call } from "./catalogue.ts";
import type { Answer, Json } from "./contract.ts";
import type { Gateway } from "./gateway.ts";

export interface SomePerson {
  email: string;
  password: string;
}

/** Creates a person with the flags of `user create`. */
export async function person(
  gateway: Gateway,
  email: string,
  ...flags: string[]
): Promise<SomePerson> {
  const made = await gateway.json("user", "create", email, ...flags);
  gateway.secrets.add(made.password);
  return { email, password: made.password };
}

/** A link that signs in once. */
export async function linkOf(gateway: Gateway, email: string): Promise<string> {
  const { url } = await gateway.json("user", "link", email);
  gateway.secrets.add(tokenOf(url));
  return url;
}

/** The secret part of a link. */
export function tokenOf(url: string): string {
  return url.slice(url.indexOf("#") + 1);
}

/** Behaves like a browser with a page of this server. */
export class PersonClient {
  cookie = "";
  private readonly gateway: Gateway;

  constructor(gateway: Gateway) {
    this.gateway = gateway;
  }

  static async signedIn(gateway: Gateway, who: SomePerson): Promise<PersonClient> {
    const client = new PersonClient(gateway);
    const answer = await client.signIn(who);
    if (answer.status !== 200) throw new Error(`sign-in: ${answer.status} ${answer.text}`);
    return client;
  }

  /** The same browser, by way of another node. */
  by(gateway: Gateway): PersonClient {
    return Object.assign(new PersonClient(gateway), { cookie: this.cookie });
  }

  async ask(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer & { json: Json }> {
    const all = {
      "x-merpati-request": "1",
      "sec-fetch-site": "same-origin",
      ...(this.cookie && { cookie: this.cookie }),
      ...headers,
    };
    const answer = await call(
      this.gateway, { method, path: `/v1${path}` }, { headers: all }, body,
    );
    const set = answer.headers["set-cookie"];
    if (set) {
      this.cookie = set.slice(0, set.indexOf(";"));
      this.gateway.secrets.add(this.cookie.slice(this.cookie.indexOf("=") + 1) || "no token");
    }
    return answer;
  }

  signIn({ email, password }: SomePerson, totp?: string): Promise<Answer & { json: Json }> {
    return this.ask("POST", "/session", { email, password, ...(totp && { totp }) });
  }
}

/** The code of a second factor at a time of the wall clock, in milliseconds (RFC 6238). */
export function totpAt(secret: string, time: number): string {
  const bits = [...secret]
    .map((c) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(c).toString(2).padStart(5, "0"))
    .join("");
  const key = Buffer.from(bits.match(/.{8}/g)!.map((byte) => parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(time / 30_000)));
  const digest = createHmac("sha1", key).update(counter).digest();
  const at = digest[19]! & 15;
  return String((digest.readUInt32BE(at) & 0x7fffffff) % 1_000_000).padStart(6, "0");
}
