// A receiver of callbacks, whose answers the test chooses.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { certificates } from "./certificates.ts";
import { pause, waitFor } from "./wait.ts";

export interface Received {
  at: number; // Milliseconds of the wall clock.
  path: string;
  headers: Record<string, string>;
  body: string;
  json: any;
}

export interface SinkAnswer {
  status: number;
  headers?: Record<string, string>;
  body?: string;
  hang?: boolean; // Never answers.
  delay?: number; // Milliseconds until it answers.
}

type Rule = (attempt: number, received: Received) => SinkAnswer;

export class Sink {
  readonly received: Received[] = [];
  private readonly byPath = new Map<string, Received[]>();
  private readonly rules = new Map<string, Rule>();
  private readonly sockets = new Set<Socket>();
  private readonly server: ReturnType<typeof createServer>;
  private readonly secure: boolean;

  private constructor(secure: boolean) {
    this.secure = secure;
    const handler = (request: IncomingMessage, response: ServerResponse) => {
      void this.receive(request, response);
    };
    const { certificate: cert, key } = secure ? certificates() : { certificate: "", key: "" };
    this.server = secure ? createSecureServer({ cert, key }, handler) : createServer(handler);
    this.server.on(secure ? "secureConnection" : "connection", (socket: Socket) => {
      this.sockets.add(socket);
      socket.on("close", () => this.sockets.delete(socket));
    });
  }

  /** By default HTTPS with the certificate of certificates.ts. */
  static async open(options: { secure?: boolean; host?: string } = {}): Promise<Sink> {
    const sink = new Sink(options.secure ?? true);
    const host = options.host ?? "127.0.0.1";
    await new Promise<void>((resolve) => sink.server.listen(0, host, resolve));
    return sink;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** The URL of a path; different paths separate the tests of one sink. */
  url(path: string, host = "127.0.0.1"): string {
    return `${this.secure ? "https" : "http"}://${host}:${this.port}${path}`;
  }

  /** Sets the answer on a path; `attempt` counts from 1. Default: 200. */
  on(path: string, answer: Rule): void {
    this.rules.set(path, answer);
  }

  at(path: string): readonly Received[] {
    return this.byPath.get(path) ?? [];
  }

  /** Waits for `count` requests on the path. */
  async requests(path: string, count = 1, deadline = 15_000): Promise<readonly Received[]> {
    return waitFor(
      `${count} requests at ${path}`,
      () => (this.at(path).length >= count ? this.at(path) : undefined),
      deadline,
    );
  }

  async request(path: string, deadline = 15_000): Promise<Received> {
    return (await this.requests(path, 1, deadline))[0]!;
  }

  /**
   * Waits until all accepted messages (by their requestId) were reported on the path, or no more
   * are for a long time; the ledger then says what is missing.
   */
  async untilTold(path: string, accepted: ReadonlyMap<string, unknown>): Promise<void> {
    let seen = -1;
    const isComplete = () => {
      const told = new Set(this.at(path).map((received) => received.json.requestId));
      return [...accepted.keys()].every((id) => told.has(id));
    };
    while (!isComplete() && this.at(path).length > seen) {
      seen = this.at(path).length;
      await waitFor("every callback", isComplete, 30_000).catch(() => undefined);
    }
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    try {
      for await (const piece of request) pieces.push(piece as Buffer);
    } catch {
      return; // The sender died during the request, which does not count.
    }
    const body = Buffer.concat(pieces).toString("utf8");
    const path = request.url ?? "/";
    const received = {
      at: Date.now(),
      path,
      headers: request.headers as Record<string, string>,
      body,
      json: body ? JSON.parse(body) : undefined,
    };
    this.received.push(received);
    const before = this.byPath.get(path);
    if (before) before.push(received);
    else this.byPath.set(path, [received]);
    const answer = this.rules.get(path)?.(this.at(path).length, received) ?? {
      status: 200,
      body: '{"ok":true}',
    };
    if (answer.hang) return;
    if (answer.delay) await pause(answer.delay);
    response.writeHead(answer.status, answer.headers).end(answer.body ?? "");
  }
}
