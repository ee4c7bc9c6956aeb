// Controls the test server over HTTP, for other processes: POST /WORD with a JSON object, answered
// with a JSON object. README.md lists the words.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Graph } from "./graph.ts";
import type { BusinessNumber, NewNumber } from "./number.ts";
import type { Script } from "./scripts.ts";
import type { Template } from "./templates.ts";

type Input = Record<string, unknown>;
type Action = (graph: Graph, input: Input) => unknown;

const bodyMax = 1024 * 1024;

const actions: Record<string, Action> = {
  number: (graph, input) => {
    const { id, token, waba, digits } = graph.addNumber(input as unknown as NewNumber);
    return { phone_number_id: id, token, waba_id: waba, number: digits };
  },
  subscribe: (graph, input) => graph.subscribe(text(input, "url"), text(input, "verify_token")),
  receive: (graph, input) => {
    const content = { body: text(input, "text") };
    const from = text(input, "from");
    return { id: graph.receive(number(graph, input), { from, type: "text", content }) };
  },
  window: (graph, input) => {
    const { closed } = input;
    number(graph, input).windowClosed =
      closed === "answer" || closed === "webhook" ? closed : undefined;
  },
  script: (graph, input) => graph.scripts.add(input as Script),
  template: (graph, input) => {
    const { number: _, ...template } = input;
    graph.templates.add(number(graph, input).waba, template as unknown as Template);
  },
  taken: (graph, input) => ({
    messages: graph.taken
      .filter(({ to }) => input["to"] === undefined || to === input["to"])
      .map(({ id, from, to, type, text: words }) => ({ id, from, to, type, text: words })),
  }),
};

/** Serves on a free port of 127.0.0.1. */
export async function serveControl(graph: Graph): Promise<Server> {
  const server = createServer((request, response) => void answer(graph, request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

export function addressOf(server: Server): string {
  const { address, port } = server.address() as AddressInfo;
  return `http://${address}:${port}`;
}

async function answer(
  graph: Graph,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const action = actions[(request.url ?? "").slice(1)];
  let status = 200;
  let body: unknown;
  try {
    if (!action) throw new Error(`no action is called ${request.url}`);
    body = (await action(graph, await read(request))) ?? {};
  } catch (error) {
    status = 400;
    body = { error: error instanceof Error ? error.message : String(error) };
  }
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

async function read(request: IncomingMessage): Promise<Input> {
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

function number(graph: Graph, input: Input): BusinessNumber {
  return graph.numberOf(text(input, "number"));
}

function text(input: Input, name: string): string {
  const value = input[name];
  if (typeof value !== "string") throw new Error(`${name} has to be a text`);
  return value;
}
