// Posts what happens to the business: signed, at least once, again until it is answered with 200.
import { createHmac } from "node:crypto";
import { Agent, request } from "node:http";
import type { BusinessNumber } from "./number.ts";

export interface Change {
  number: BusinessNumber;
  statuses?: object[];
  messages?: object[];
  contacts?: object[];
}

export interface Post {
  body: string;
  status: number; // 0: no answer.
}

export interface WebhookOptions {
  batchMs?: number; // How long changes are collected for one post.
  batchMax?: number; // So many statuses and messages in one post.
  recorded?: boolean; // Whether `posts` keeps them.
}

const againFirstMs = 100;
const againMaxMs = 2_000;
const answerMsMax = 20_000;

export class Webhooks {
  url = "";
  doubled = false; // Everything comes twice.
  readonly posts: Post[] = [];
  private held: Change[] | undefined;
  private waiting: Change[] = [];
  private collecting: NodeJS.Timeout | undefined;
  private posting: Promise<void> = Promise.resolve();
  private closed = false;
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 4 });
  private readonly options: WebhookOptions;

  constructor(options: WebhookOptions) {
    this.options = options;
  }

  /** Keeps back what happens from now on. */
  hold(): void {
    this.held ??= [];
  }

  /** Posts what was kept back, each change by itself. */
  release({ reversed = false, times = 1 } = {}): void {
    const held = this.held ?? [];
    this.held = undefined;
    if (reversed) held.reverse();
    for (let turn = 0; turn < times; turn += 1) {
      for (const change of held) this.deliver([change]);
    }
  }

  add(change: Change): void {
    if (this.held) {
      this.held.push(change);
      return;
    }
    this.waiting.push(change);
    if (this.waiting.length >= (this.options.batchMax ?? 1)) this.flush();
    else this.collecting ??= setTimeout(() => this.flush(), this.options.batchMs ?? 0);
  }

  private flush(): void {
    clearTimeout(this.collecting);
    this.collecting = undefined;
    const waiting = this.waiting;
    this.waiting = [];
    this.deliver(waiting);
    if (this.doubled) this.deliver(waiting);
  }

  /** One post for each app that the changes' numbers belong to. */
  private deliver(changes: Change[]): void {
    for (const [secret, own] of groups(changes, ({ number }) => number.secret)) {
      const body = bodyOf(own);
      this.posting = this.posting.then(() => this.postUntilTaken(body, secret));
    }
  }

  private async postUntilTaken(body: string, secret: string): Promise<void> {
    for (let wait = againFirstMs; !this.closed && this.url; wait = Math.min(wait * 2, againMaxMs)) {
      if ((await this.post(body, sign(body, secret))) === 200) return;
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }

  /** Posts these bytes once; resolves with the status of the answer, 0 without one. */
  post(body: string | Buffer, signature?: string): Promise<number> {
    return new Promise((resolve) => {
      const done = (status: number) => {
        if (this.options.recorded !== false) this.posts.push({ body: String(body), status });
        resolve(status);
      };
      const asked = request(this.url, { method: "POST", agent: this.agent, timeout: answerMsMax });
      asked.setHeader("content-type", "application/json");
      asked.setHeader("content-length", Buffer.byteLength(body));
      asked.setHeader("user-agent", "facebookexternalua");
      if (signature !== undefined) asked.setHeader("x-hub-signature-256", signature);
      asked.on("timeout", () => asked.destroy());
      asked.on("error", () => done(0));
      asked.on("response", (answer) => {
        answer.resume().on("end", () => done(answer.statusCode ?? 0));
      });
      asked.end(body);
    });
  }

  /** Waits until everything that happened was taken. */
  async settled(): Promise<void> {
    while (this.waiting.length > 0 || this.collecting) {
      await new Promise((resolve) => setTimeout(resolve, 5)); // The batch's own time.
    }
    await this.posting;
  }

  close(): void {
    this.closed = true;
    clearTimeout(this.collecting);
    this.agent.destroy();
  }
}

export function sign(body: string | Buffer, secret: string): string {
  return `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
}

/** A post's body, whose characters outside ASCII are escaped before it is signed. */
export function bodyOf(changes: Change[]): string {
  const entry = groups(changes, ({ number }) => number.waba).map(([id, own]) => ({
    id,
    changes: groups(own, (change) => `${change.number.id} ${change.messages !== undefined}`).map(
      ([, same]) => ({ value: valueOf(same), field: "messages" }),
    ),
  }));
  const text = JSON.stringify({ object: "whatsapp_business_account", entry });
  return text.replace(
    /[\u007f-\uffff]/g,
    (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function valueOf(changes: Change[]): object {
  const { number } = changes[0]!;
  const all = (name: "contacts" | "messages" | "statuses") => {
    const list = changes.flatMap((change) => change[name] ?? []);
    return list.length > 0 ? { [name]: list } : {};
  };
  return {
    messaging_product: "whatsapp",
    metadata: { display_phone_number: number.digits, phone_number_id: number.id },
    ...all("contacts"),
    ...all("messages"),
    ...all("statuses"),
  };
}

function groups<T>(items: T[], keyOf: (item: T) => string): [string, T[]][] {
  const found = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = found.get(key);
    if (group) group.push(item);
    else found.set(key, [item]);
  }
  return [...found];
}
