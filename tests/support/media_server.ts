// A host of media files on a loopback address, whose answers the test chooses.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import {
  createServer as createRawServer,
  type AddressInfo,
  type Server,
  type Socket,
} from "node:net";
import { certificates } from "./certificates.ts";
import { waitFor } from "./wait.ts";

export interface MediaRequest {
  method: string;
  range: string | undefined;
  headers: Record<string, string>;
}

export interface MediaAnswer {
  status?: number; // Default: 200.
  type?: string | null; // Content-Type; null: none; default: "image/png".
  content?: Buffer;
  headers?: Record<string, string>;
  length?: boolean; // False: no Content-Length, and a chunked body.
  ranges?: boolean; // False: like a server without support for ranges.
  half?: Promise<unknown>; // Until it resolves, only half of the body is sent.
  hang?: boolean; // Never answers.
}

export type MediaRule = MediaAnswer | ((request: MediaRequest) => MediaAnswer);

let names = 0;
const freshPath = () => `/berkas-${process.pid}-${(names += 1)}`;

abstract class Host {
  protected readonly sockets = new Set<Socket>();
  protected readonly server: Server;
  readonly host: string;

  protected constructor(host: string, server: Server) {
    this.host = host;
    this.server = server;
    server.on("connection", (socket: Socket) => {
      this.sockets.add(socket);
      socket.on("error", () => socket.destroy());
      socket.on("close", () => this.sockets.delete(socket));
    });
  }

  protected async listen(port = 0): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(port, this.host, resolve));
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  url(path: string): string {
    return `${this.scheme}://${this.host}:${this.port}${path}`;
  }

  protected get scheme(): string {
    return "http";
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

export class MediaServer extends Host {
  connections = 0;
  private readonly rules = new Map<string, MediaRule>();
  private readonly seen = new Map<string, MediaRequest[]>();

  private readonly secure: boolean;

  private constructor(host: string, secure: boolean) {
    const answer = (request: IncomingMessage, response: ServerResponse) =>
      void this.answer(request, response);
    const { certificate: cert, key } = secure ? certificates() : { certificate: "", key: "" };
    super(host, secure ? createSecureServer({ cert, key }, answer) : createServer(answer));
    this.secure = secure;
    this.server.on("connection", () => (this.connections += 1));
  }

  /** With `secure`: HTTPS with the certificate of certificates.ts. */
  static async open(host = "127.0.0.1", secure = false): Promise<MediaServer> {
    const server = new MediaServer(host, secure);
    await server.listen();
    return server;
  }

  protected override get scheme(): string {
    return this.secure ? "https" : "http";
  }

  /** Puts a file at a path; returns its URL. */
  put(rule: MediaRule, path = freshPath()): string {
    this.rules.set(path, rule);
    return this.url(path);
  }

  /** Replaces the file at a URL. */
  change(url: string, rule: MediaRule): void {
    this.rules.set(new URL(url).pathname, rule);
  }

  redirect(to: string, status = 302): string {
    return this.put({ status, headers: { location: to } });
  }

  requests(url: string): readonly MediaRequest[] {
    return this.seen.get(new URL(url).pathname) ?? [];
  }

  heads(url: string): number {
    return this.requests(url).filter(({ method }) => method === "HEAD").length;
  }

  /** The number of requests for only the beginning of the file. */
  looks(url: string): number {
    return this.requests(url).filter(({ method, range }) => method === "GET" && range).length;
  }

  /** The number of requests for the whole file. */
  fetches(url: string): number {
    return this.requests(url).filter(({ method, range }) => method === "GET" && !range).length;
  }

  /** Waits until the probe has requested the beginning of the file. */
  async accepted(url: string): Promise<void> {
    await waitFor(`a look at ${url}`, () => this.looks(url) > 0);
  }

  async fetched(url: string, count = 1, deadline = 15_000): Promise<void> {
    await waitFor(`${count} fetches of ${url}`, () => this.fetches(url) >= count, deadline);
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? "/";
    const given: MediaRequest = {
      method: request.method ?? "",
      range: request.headers.range,
      headers: request.headers as Record<string, string>,
    };
    this.seen.set(path, [...(this.seen.get(path) ?? []), given]);
    const rule = this.rules.get(path) ?? { status: 404 };
    const answer = typeof rule === "function" ? rule(given) : rule;
    if (answer.hang) return;
    const whole = answer.content ?? Buffer.alloc(0);
    const asked = /^bytes=0-(\d+)$/.exec(given.range ?? "");
    const part = asked && answer.ranges !== false && !answer.status;
    const body = part ? whole.subarray(0, Number(asked[1]) + 1) : whole;
    const type = answer.type === undefined ? "image/png" : answer.type;
    response.writeHead(answer.status ?? (part ? 206 : 200), {
      ...(type !== null && { "content-type": type }),
      ...(answer.length !== false && { "content-length": String(body.length) }),
      ...(part && { "content-range": `bytes 0-${body.length - 1}/${whole.length}` }),
      ...answer.headers,
    });
    if (given.method === "HEAD") return void response.end();
    if (answer.half && !part) {
      response.write(body.subarray(0, body.length / 2));
      await answer.half;
      if (response.destroyed) return;
      response.end(body.subarray(body.length / 2));
    } else {
      response.end(body);
    }
  }
}

export type Behaviour = (socket: Socket, head: string) => void;

/** A server that writes any bytes after it has received a request's head. */
export class RawHost extends Host {
  connections = 0;
  private readonly behaviours = new Map<string, Behaviour>();

  private constructor(host: string) {
    super(
      host,
      createRawServer((socket) => this.serve(socket)),
    );
  }

  static async open(host = "127.0.0.1"): Promise<RawHost> {
    const raw = new RawHost(host);
    await raw.listen();
    return raw;
  }

  on(behaviour: Behaviour): string {
    const path = freshPath();
    this.behaviours.set(path, behaviour);
    return this.url(path);
  }

  private serve(socket: Socket): void {
    this.connections += 1;
    let head = "";
    const read = (piece: Buffer) => {
      head += piece.toString("latin1");
      if (!head.includes("\r\n\r\n")) return;
      socket.off("data", read);
      socket.resume();
      const path = head.split(" ")[1] ?? "";
      const behaviour = this.behaviours.get(path);
      if (behaviour) behaviour(socket, head);
      else socket.destroy();
    };
    socket.on("data", read);
  }
}
