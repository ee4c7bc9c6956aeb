// A watcher of an account's events, with the parts of a browser's EventSource that the tests need.
import { request, type ClientRequest, type IncomingMessage } from "node:http";
import { waitFor } from "./wait.ts";

export interface Happening {
  id: string;
  event: string;
  data: any;
}

export interface WatcherOptions {
  lastId?: string; // Of the latest event that it has seen.
  target?: string; // Default: /v1/events.
}

export class Watcher {
  readonly all: Happening[] = [];
  status = 0;
  headers: IncomingMessage["headers"] = {};
  ended = false;
  lastId = "";
  raw = "";
  private text = "";
  private readonly asked: ClientRequest;

  constructor(url: string, key: string, { lastId, target = "/v1/events" }: WatcherOptions = {}) {
    const headers = {
      authorization: `Bearer ${key}`,
      ...(lastId !== undefined && { "last-event-id": lastId }),
    };
    this.asked = request(`${url}${target}`, { headers }, (answer) => {
      this.status = answer.statusCode ?? 0;
      this.headers = answer.headers;
      answer.setEncoding("utf8");
      answer.on("data", (piece: string) => this.take(piece));
      answer.on("close", () => (this.ended = true));
      answer.on("error", () => (this.ended = true));
    });
    this.asked.on("error", () => (this.ended = true));
    this.asked.end();
  }

  private take(piece: string): void {
    this.raw += piece;
    this.text += piece;
    for (let end = this.text.indexOf("\n\n"); end >= 0; end = this.text.indexOf("\n\n")) {
      const lines = this.text.slice(0, end).split("\n");
      this.text = this.text.slice(end + 2);
      const field = (name: string) =>
        lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
      this.lastId = field("id") ?? this.lastId;
      const event = field("event");
      if (event) this.all.push({ id: this.lastId, event, data: JSON.parse(field("data")!) });
    }
  }

  begun(): Promise<unknown> {
    return waitFor("the stream to begin", () => this.lastId !== "" || this.status >= 400);
  }
  until(event: string, fits: (data: any) => boolean = () => true): Promise<Happening> {
    return waitFor(`the event ${event}`, () =>
      this.all.find((one) => one.event === event && fits(one.data)),
    );
  }
  close(): void {
    this.asked.destroy();
  }
}
