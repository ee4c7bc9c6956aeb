// HTTP by Node's own client, with one connection for each request unless an agent is given.
import { request as httpRequest, type Agent, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import type { Answer } from "./contract.ts";
import { within } from "./wait.ts";

export interface HttpRequest {
  method: string;
  url: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
  ca?: string;
  agent?: Agent;
  from?: string; // The address of this machine from which it comes.
  deadline?: number;
}

/** Sends one request and reads the whole answer. */
export function exchange(options: HttpRequest): Promise<Answer> {
  const url = new URL(options.url);
  const secure = url.protocol === "https:";
  const body = options.body === undefined ? undefined : Buffer.from(options.body);
  const answered = new Promise<Answer>((resolve, reject) => {
    const send = secure ? httpsRequest : httpRequest;
    const request = send(
      url,
      {
        method: options.method,
        headers: {
          ...(body && { "content-length": String(body.length) }),
          ...options.headers,
        },
        agent: options.agent ?? false,
        localAddress: options.from,
        ...(options.ca && { ca: options.ca }),
      },
      (response) => collect(response).then(resolve, reject),
    );
    request.on("error", reject);
    request.end(body);
  });
  return within(`${options.method} ${options.url}`, answered, options.deadline ?? 30_000);
}

async function collect(response: IncomingMessage): Promise<Answer> {
  const pieces: Buffer[] = [];
  for await (const piece of response) pieces.push(piece as Buffer);
  const headers = Object.fromEntries(
    Object.entries(response.headers).map(([name, value]) => [name, String(value)]),
  );
  return {
    status: response.statusCode ?? 0,
    headers,
    text: Buffer.concat(pieces).toString("utf8"),
  };
}

/** Whether a request failed because its server died. */
export function isConnectionLoss(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code ?? "";
  const lost = ["ECONNRESET", "ECONNREFUSED", "EPIPE"].includes(code);
  return lost || /aborted|socket hang up/.test(String(error));
}
