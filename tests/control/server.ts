// Controls a test server over HTTP, for other processes: POST /WORD with a JSON object, answered
// with a JSON object.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export type Input = Record<string, unknown>;
export type Actions<Subject> = Record<string, (subject: Subject, input: Input) => unknown>;

/** Serves on a free port of 127.0.0.1. A body has at most `bodyMax` bytes. */
export async function serve<Subject>(
  subject: Subject,
  actions: Actions<Subject>,
  bodyMax: number,
): Promise<Server> {
  const server = createServer(async (request, response) => {
    const action = actions[(request.url ?? "").slice(1)];
    try {
      if (!action) throw new Error(`no action is called ${request.url}`);
      answer(response, 200, (await action(subject, await read(request, bodyMax))) ?? {});
    } catch (error) {
      answer(response, 400, { error: error instanceof Error ? error.message : String(error) });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

export function addressOf(server: Server): string {
  const { address, port } = server.address() as AddressInfo;
  return `http://${address}:${port}`;
}

export function text(input: Input, name: string): string {
  const value = input[name];
  if (typeof value !== "string") throw new Error(`${name} has to be a text`);
  return value;
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

async function read(request: IncomingMessage, bodyMax: number): Promise<Input> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of request) {
    length += (piece as Buffer).length;
    if (length > bodyMax) throw new Error("the body is too long");
    pieces.push(piece as Buffer);
  }
  const body = Buffer.concat(pieces).toString();
  return body === "" ? {} : (JSON.parse(body) as Input);
}
