// A server of the official platform's API in one process, for tests: see README.md.
import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { GraphError, refuse, type Fault } from "./errors.ts";
import { Media, type StoredMedia } from "./media.ts";
import { BusinessNumber, type NewNumber } from "./number.ts";
import { inboundParts, statusBody, type Taken, type Written } from "./payloads.ts";
import { fromQuery, ok, parse, raw, sendFault, unknownObject, type Reply } from "./replies.ts";
import { Scripts, type Operation, type Script } from "./scripts.ts";
import { checkMessage, checkRead, type Body } from "./sends.ts";
import { Templates } from "./templates.ts";
import { Webhooks, type WebhookOptions } from "./webhooks.ts";

export interface GraphOptions extends WebhookOptions {
  secret?: string;
  statuses?: string[]; // What happens to a message that is taken; default: sent, delivered.
}

export interface Asked {
  method: string;
  path: string; // Without the version.
  version: string;
  body: unknown; // JSON; undefined: none, or another type.
  headers: Record<string, string>;
  at: number;
}

const host = "127.0.0.1";
const dayMs = 86_400_000;
const bodyMax = 128 * 1024 * 1024;

const outside: Fault = {
  code: 131047,
  details: "Message failed to send because more than 24 hours have passed since the last reply.",
};

export class Graph {
  readonly scripts = new Scripts();
  readonly media = new Media();
  readonly templates = new Templates();
  readonly webhooks: Webhooks;
  readonly secret: string;
  readonly taken: Taken[] = [];
  readonly asked: Asked[] = [];
  readonly typing: Body[] = [];
  statuses: string[];
  /** Where descriptors say that files are; default: this server. */
  mediaHost: string | undefined;
  private readonly numbers = new Map<string, BusinessNumber>();
  private readonly options: GraphOptions;
  private readonly sockets = new Set<Socket>();
  private server: Server | undefined;
  private port = 0;
  private lastMessage = 0;

  private constructor(options: GraphOptions) {
    this.options = options;
    this.secret = options.secret ?? randomBytes(16).toString("hex");
    this.statuses = options.statuses ?? ["sent", "delivered"];
    this.webhooks = new Webhooks(options);
  }

  static async start(options: GraphOptions = {}): Promise<Graph> {
    const graph = new Graph(options);
    await graph.listen();
    return graph;
  }

  get url(): string {
    return `http://${host}:${this.port}`;
  }

  addNumber(made: NewNumber): BusinessNumber {
    const number = new BusinessNumber(made, this.secret);
    this.numbers.set(number.id, number);
    return number;
  }

  numberOf(digits: string): BusinessNumber {
    const found = [...this.numbers.values()].find((each) => each.digits === digits);
    if (!found) throw new Error(`no number is ${digits}`);
    return found;
  }

  /** Posts to this address from now on, after it has answered the challenge as it must. */
  async subscribe(url: string, verifyToken: string): Promise<void> {
    const challenge = randomBytes(8).toString("hex");
    const query = new URLSearchParams({
      "hub.mode": "subscribe",
      "hub.verify_token": verifyToken,
      "hub.challenge": challenge,
    });
    const answer = await fetch(`${url}?${query}`);
    const text = await answer.text();
    if (answer.status !== 200 || text !== challenge) {
      throw new Error(`the challenge was answered with ${answer.status} ${text}`);
    }
    this.webhooks.url = url;
  }

  /** A message for the number; resolves with its id. */
  receive(number: BusinessNumber, written: Written): string {
    const id = written.id ?? this.messageId();
    const { from } = written;
    number.inbound.set(id, from ?? "");
    if (from) number.wroteAt.set(from, Date.now());
    this.webhooks.add({ number, ...inboundParts(id, written) });
    return id;
  }

  /** A file for the number; resolves with its message's id and its own. */
  receiveFile(
    number: BusinessNumber,
    from: string,
    type: string,
    file: { mime: string; name: string; content: Buffer; caption?: string },
  ): { id: string; media: StoredMedia } {
    const media = this.media.keep(number, file, false);
    const { caption, name } = file;
    const content = {
      id: media.id,
      mime_type: media.mime,
      ...(caption !== undefined && { caption }),
      ...(type === "document" && { filename: name }),
    };
    return { id: this.receive(number, { from, type, content }), media };
  }

  /** Reports on a message that was taken before. */
  report(message: Taken, status: string, fault?: Fault): void {
    const number = this.numberOf(message.from);
    if (fault) message.failed = true;
    this.webhooks.add({ number, statuses: [statusBody(message, status, fault)] });
  }

  /** What reached a recipient with this text. */
  of(text: string): Taken[] {
    return this.taken.filter((each) => each.text === text);
  }

  to(recipient: string): Taken[] {
    return this.taken.filter((each) => each.to === recipient);
  }

  async listen(): Promise<void> {
    const server = createServer((request, response) => void this.answer(request, response));
    server.keepAliveTimeout = 60_000;
    server.on("connection", (socket: Socket) => {
      this.sockets.add(socket);
      socket.on("close", () => this.sockets.delete(socket));
    });
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(this.port, host, resolve);
    });
    this.port = (server.address() as AddressInfo).port;
    this.server = server;
  }

  /** Goes off the network, and keeps its state. */
  async stop(): Promise<void> {
    const { server } = this;
    if (!server) return;
    this.server = undefined;
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  async end(): Promise<void> {
    this.webhooks.close();
    await this.stop();
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const url = new URL(request.url ?? "/", this.url);
      const pieces: Buffer[] = [];
      let length = 0;
      for await (const piece of request) {
        length += (piece as Buffer).length;
        if (length > bodyMax) refuse(100, "The body is too long.");
        pieces.push(piece as Buffer);
      }
      const answer = await this.route(request, url, Buffer.concat(pieces));
      if (answer) answer(response);
      else if (answer === null) request.socket.destroy();
    } catch (error) {
      if (error instanceof GraphError) sendFault(response, error.fault);
      else if (!response.destroyed) {
        console.error(error);
        sendFault(response, { code: 1, status: 500 });
      }
    }
  }

  private async route(request: IncomingMessage, url: URL, body: Buffer): Promise<Reply> {
    const [version = "", object = "", edge = ""] = url.pathname.split("/").filter(Boolean);
    const isDownload = version === "whatsapp_business";
    if (!isDownload && !/^v\d+\.\d+$/.test(version)) refuse(100, "Unknown version.");
    const type = request.headers["content-type"] ?? "";
    const json = type.startsWith("application/json") ? parse(body) : undefined;
    if (this.options.recorded !== false) this.note(request, url, version, json);
    const token = /^Bearer (.+)$/.exec(request.headers["authorization"] ?? "")?.[1];
    const owner = this.ownerOf(token, url);
    if (isDownload) return this.download(owner, url);
    const at = `${request.method} ${edge}`;
    if (at === "GET message_templates") {
      return this.scripted(owner, "templates", async () => {
        if (object !== owner.waba) refuse(100, unknownObject(object), 33);
        const self = `${this.url}/${version}/${object}/message_templates`;
        return this.templates.page(object, url.searchParams, self);
      });
    }
    if (at === "GET " && this.media.get(object)?.owner === owner) {
      return this.scripted(owner, "descriptor", async () => this.descriptor(object));
    }
    if (object !== owner.id) refuse(100, unknownObject(object), 33);
    if (at === "GET ") {
      const fields = url.searchParams.get("fields");
      return this.scripted(owner, "number", async () => owner.details(fields));
    }
    if (at === "POST messages") return this.message(owner, json);
    if (at === "POST media") {
      const upload = () => this.media.upload(owner, type, body, url.searchParams);
      return this.scripted(owner, "media", upload);
    }
    return this.registration(owner, at, json ?? fromQuery(url, type, body));
  }

  private registration(owner: BusinessNumber, at: string, input: Body): Promise<Reply> {
    const { pin, code, code_method: method, language } = input;
    if (at === "POST register") {
      return this.scripted(owner, "register", async () => owner.register(pin));
    }
    if (at === "POST request_code") {
      return this.scripted(owner, "request_code", async () => owner.requestCode(method, language));
    }
    if (at === "POST verify_code") {
      return this.scripted(owner, "verify_code", async () => owner.verifyCode(code));
    }
    return refuse(100, `Unsupported request: ${at}`);
  }

  private async message(owner: BusinessNumber, json: unknown): Promise<Reply> {
    if (!json || typeof json !== "object") refuse(100, "The body is not JSON.");
    const body = json as Body;
    if (body["status"] !== undefined) {
      checkRead(owner, body);
      this.typing.push(body);
      return ok({ success: true });
    }
    if (!owner.registered) refuse(133010, "The phone number is not registered.");
    const { type } = body;
    const to = readerOf(body);
    const script = this.scripts.take({ on: "messages", from: owner.digits, to, type });
    if (script?.lose === "request") return null;
    if (script?.raw) return raw(script.raw);
    const text = checkMessage(owner, body, this.media, this.templates);
    const closed = type === "template" ? undefined : this.closedFor(owner, to);
    if (closed === "answer") throw new GraphError(outside);
    const report = script?.report ?? (closed && outside);
    const message = this.take(owner, body, text, script, report);
    if (script?.refuse) throw new GraphError(script.refuse);
    if (script?.hang) return undefined;
    if (script?.lose === "answer") return null;
    return ok({
      messaging_product: "whatsapp",
      contacts: [{ input: to, wa_id: to }],
      messages: [{ id: message.id, message_status: "accepted" }],
    });
  }

  private take(
    owner: BusinessNumber,
    body: Body,
    text: string,
    script: Script | undefined,
    report: Fault | undefined,
  ): Taken {
    const failed = report !== undefined || script?.refuse !== undefined;
    const message: Taken = {
      id: this.messageId(),
      from: owner.digits,
      to: readerOf(body),
      type: body["type"],
      text,
      body,
      at: Date.now(),
      failed,
    };
    if (this.options.recorded !== false) this.taken.push(message);
    const usual = script?.refuse ? [] : this.statuses;
    const statuses = report ? ["failed"] : (script?.statuses ?? usual);
    for (const status of statuses) {
      this.webhooks.add({ number: owner, statuses: [statusBody(message, status, report)] });
    }
    return message;
  }

  private closedFor(owner: BusinessNumber, to: string): "answer" | "webhook" | undefined {
    const wrote = owner.wroteAt.get(to);
    return wrote !== undefined && Date.now() - wrote < dayMs ? undefined : owner.windowClosed;
  }

  private descriptor(id: string): object {
    const found = this.media.get(id)!;
    if (found.expired) refuse(100, unknownObject(id), 33);
    return this.media.descriptor(found, this.mediaHost ?? this.url);
  }

  private async download(owner: BusinessNumber, url: URL): Promise<Reply> {
    const found = this.media.get(url.searchParams.get("mid") ?? "");
    const script = this.scripts.take({ on: "download", from: owner.digits });
    if (script?.redirect) {
      const location = script.redirect;
      return (response) => response.writeHead(302, { location }).end();
    }
    if (script?.raw) return raw(script.raw);
    if (!found || found.owner !== owner) return raw({ status: 404, body: "" });
    found.downloads += 1;
    return (response) => {
      response.writeHead(200, {
        "content-type": found.mime,
        "content-length": found.content.length,
      });
      response.end(found.content);
    };
  }

  private async scripted(
    owner: BusinessNumber,
    on: Operation,
    act: () => Promise<object>,
  ): Promise<Reply> {
    const script = this.scripts.take({ on, from: owner.digits });
    if (script?.lose === "request") return null;
    if (script?.raw) return raw(script.raw);
    if (script?.refuse) throw new GraphError(script.refuse);
    const answer = await act();
    if (script?.lose === "answer") return null;
    return script?.hang ? undefined : ok(answer);
  }

  /** The number whose token this is. A token that is none comes back in the answer. */
  private ownerOf(token: string | undefined, url: URL): BusinessNumber {
    const all = [...this.numbers.values()].filter((each) => each.token === token);
    const owner =
      all.find(({ id, waba }) => [id, waba].some((each) => url.pathname.includes(`/${each}`))) ??
      all[0];
    if (!owner) throw new GraphError({ code: 190, title: `Malformed access token ${token}` });
    if (owner.tokenSubcode !== undefined) {
      const details = "Error validating access token: Session has expired.";
      throw new GraphError({ code: 190, subcode: owner.tokenSubcode, details });
    }
    return owner;
  }

  private note(request: IncomingMessage, url: URL, version: string, body: unknown): void {
    const { method = "", headers } = request;
    const path = (url.pathname + url.search).slice(version.length + 1);
    const kept = headers as Record<string, string>;
    this.asked.push({ method, path, version, body, headers: kept, at: Date.now() });
  }

  private messageId(): string {
    this.lastMessage += 1;
    const text = `62${this.port}${this.lastMessage}${randomBytes(9).toString("hex").toUpperCase()}`;
    return `wamid.${Buffer.from(text).toString("base64")}`;
  }
}

/** Whom a message is for: digits, or a user id. */
function readerOf(body: Body): string {
  return String(body["to"] ?? body["recipient"]).replace("+", "");
}
