// Stores encrypted media: POST /mms/KIND/HASH, GET /media/HASH. The path must contain the hash of
// the uploaded bytes.
import type { IncomingMessage, ServerResponse } from "node:http";
import { sha256 } from "../crypto/ciphers.ts";
import type { Events } from "./events.ts";

const bodyMax = 64 * 1024 * 1024;

export class MediaHost {
  /** How many of the next uploads fail. */
  failures = 0;
  private readonly files = new Map<string, Buffer>();

  constructor(
    private readonly events: Events,
    private readonly origin: () => string,
  ) {}

  /** Returns false if the request is not for the media host. */
  handle(request: IncomingMessage, response: ServerResponse): boolean {
    const { pathname } = new URL(request.url ?? "/", "https://stand-in");
    const [first, second, third] = pathname.split("/").slice(1);
    if (request.method === "POST" && first === "mms" && third) {
      this.put(decodeURIComponent(third), request, response);
      return true;
    }
    if (request.method === "GET" && first === "media" && second) {
      this.give(second, response);
      return true;
    }
    return false;
  }

  /** Stores a phone's data without HTTP, and returns the path. */
  store(data: Buffer): string {
    const name = sha256(data).toString("base64url");
    this.files.set(name, data);
    return `/media/${name}`;
  }

  load(path: string): Buffer | undefined {
    return this.files.get(path.split("?")[0]?.replace("/media/", "") ?? "");
  }

  url(path: string): string {
    return this.origin() + path;
  }

  private put(hash: string, request: IncomingMessage, response: ServerResponse): void {
    const pieces: Buffer[] = [];
    let length = 0;
    request.on("data", (piece: Buffer) => {
      length += piece.length;
      if (length > bodyMax) request.destroy();
      else pieces.push(piece);
    });
    request.on("end", () => {
      if (this.failures > 0) {
        this.failures--;
        response.writeHead(500).end();
        return;
      }
      const data = Buffer.concat(pieces);
      const right = sha256(data).equals(Buffer.from(hash, "base64url"));
      if (!right) this.events.add("violation", { reason: "an upload under a wrong hash" });
      const path = this.store(data);
      const body = right ? { url: this.url(path), direct_path: path } : { error: "hash" };
      response.writeHead(right ? 200 : 400, { "content-type": "application/json" });
      response.end(JSON.stringify(body));
    });
  }

  private give(name: string, response: ServerResponse): void {
    const data = this.files.get(name);
    response.writeHead(data ? 200 : 404, { "content-type": "application/octet-stream" });
    response.end(data);
  }
}
