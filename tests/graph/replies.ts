// Answers to requests.
import type { ServerResponse } from "node:http";
import { envelope, refuse, statusOf, type Fault } from "./errors.ts";
import type { Script } from "./scripts.ts";
import type { Body } from "./sends.ts";

/** Null: the connection ends without an answer; undefined: it stays without one. */
export type Reply = ((response: ServerResponse) => void) | null | undefined;

export function ok(body: object): Reply {
  const text = JSON.stringify(body);
  return (response) => {
    response.writeHead(200, {
      "content-type": "application/json; charset=UTF-8",
      "content-length": Buffer.byteLength(text),
    });
    response.end(text);
  };
}

export function raw({ status, body, type = "text/html" }: NonNullable<Script["raw"]>): Reply {
  return (response) => response.writeHead(status, { "content-type": type }).end(body);
}

export function sendFault(response: ServerResponse, fault: Fault): void {
  const text = JSON.stringify(envelope(fault));
  response.writeHead(statusOf(fault), {
    "content-type": "application/json; charset=UTF-8",
    "www-authenticate": `OAuth "Facebook Platform" "invalid_request"`,
    ...(fault.retryAfter !== undefined && { "retry-after": String(fault.retryAfter) }),
  });
  response.end(text);
}

export function unknownObject(id: string): string {
  return `Unsupported request. Object with ID '${id}' does not exist, or cannot be loaded.`;
}

export function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return refuse(100, "The body is not JSON.");
  }
}

/** Parameters that come as a form, or behind the path. */
export function fromQuery(url: URL, type: string, body: Buffer): Body {
  const form = type.startsWith("application/x-www-form-urlencoded") ? body.toString() : "";
  return Object.fromEntries([...url.searchParams, ...new URLSearchParams(form)]);
}
