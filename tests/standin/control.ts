// Controls the stand-in over HTTP, for other processes: POST /WORD with a JSON object, answered
// with a JSON object. README.md lists the words.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Phone, Sendable, Shown } from "./phone/phone.ts";
import { chainFaults, type ChainFault } from "./server/certificate.ts";
import type { Event } from "./server/events.ts";
import type { Fault } from "./server/faults.ts";
import { signatureFaults, type SignatureFault } from "./server/pairing.ts";
import { lookUpFaults, type LookUpFault } from "./server/user_query.ts";
import type { StandIn } from "./stand_in.ts";

type Input = Record<string, unknown>;
type Action = (standIn: StandIn, input: Input) => unknown;

const bodyMax = 96 * 1024 * 1024;
const waitMax = 60_000;

const actions: Record<string, Action> = {
  info: (standIn) => about(standIn),
  register: (standIn, input) => {
    standIn.setRegistered(number(input), input["registered"] !== false);
  },
  scan: async (standIn, input) => ({ device: await phone(standIn, input).scan(text(input, "qr")) }),
  code: async (standIn, input) => ({
    device: await phone(standIn, input).enterCode(text(input, "code")),
  }),
  send: async (standIn, input) => {
    const server = input["lid"] === true ? "lid" : "s.whatsapp.net";
    return { id: await phone(standIn, input).send(text(input, "to"), sendable(input), server) };
  },
  read: (standIn, input) => {
    phone(standIn, input).read(text(input, "to"), input["ids"] as string[]);
  },
  typing: (standIn, input) => {
    const state = input["state"] === "paused" ? "paused" : "composing";
    phone(standIn, input).typing(text(input, "to"), state);
  },
  receipts: (standIn, input) => {
    phone(standIn, input).receipts = input["on"] !== false;
  },
  forget: (standIn, input) => {
    phone(standIn, input).forgetSessions();
  },
  shown: (standIn, input) => ({ messages: phone(standIn, input).shown.map(visible) }),
  fault: (standIn, input) => {
    standIn.faults.add(input as unknown as Fault);
  },
  uploads: (standIn, input) => {
    standIn.mediaHost.failures = Number(input["fail"] ?? 0);
  },
  clear: (standIn) => {
    standIn.faults.clear();
    standIn.mediaHost.failures = 0;
  },
  release: (standIn) => ({ released: standIn.faults.release() }),
  close: (standIn, input) => {
    standIn.close(number(input), Number(input["code"]));
  },
  drop: (standIn, input) => {
    standIn.drop(number(input));
  },
  refuse: (standIn, input) => {
    const code = input["code"];
    standIn.refuseLogins(number(input), typeof code === "number" ? code : undefined);
  },
  spoil: (standIn, input) => {
    standIn.chainFault = oneOf<ChainFault>(chainFaults, input["chain"]);
    standIn.pairing.fault = oneOf<SignatureFault>(signatureFaults, input["pairing"]);
  },
  rekey: (standIn) => {
    standIn.changeServerKey();
  },
  lookups: (standIn, input) => {
    standIn.lookUpFault = oneOf<LookUpFault>(lookUpFaults, input["fault"]);
  },
  trust: (standIn, input) => {
    standIn.trust(number(input), text(input, "to"));
  },
  contacts: (standIn, input) => {
    phone(standIn, input).saveContacts(Number(input["count"]));
  },
  passkey: (standIn, input) => {
    phone(standIn, input).passkey = input["on"] !== false;
  },
  tokens: (standIn, input) => {
    standIn.reachout.tokensRequired = input["on"] !== false;
  },
  lock: (standIn, input) => {
    standIn.lock(number(input), until(input));
  },
  cap: (standIn, input) => {
    standIn.cap(number(input), until(input));
  },
  stop: (standIn) => standIn.stop(),
  start: (standIn) => standIn.listen(),
  restart: (standIn) => standIn.restart(),
  events: (standIn, input) => events(standIn, input),
};

/** Serves on a free port of 127.0.0.1. */
export async function serveControl(standIn: StandIn): Promise<Server> {
  const server = createServer((request, response) => void answer(standIn, request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

export function addressOf(server: Server): string {
  const { address, port } = server.address() as AddressInfo;
  return `http://${address}:${port}`;
}

export function about(standIn: StandIn): Record<string, string> {
  return {
    url: standIn.url,
    media: standIn.address,
    root_file: standIn.rootFile,
    root_key: standIn.rootKey.toString("hex"),
  };
}

async function answer(
  standIn: StandIn,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const action = actions[(request.url ?? "").slice(1)];
  let status = 200;
  let body: unknown;
  try {
    if (!action) throw new Error(`no action is called ${request.url}`);
    body = (await action(standIn, await read(request))) ?? {};
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

/** Returns the events after `after`; waits for one if there is none yet. */
async function events(standIn: StandIn, input: Input): Promise<unknown> {
  const after = Number(input["after"] ?? 0);
  const match = (input["match"] ?? {}) as Record<string, unknown>;
  const matches = (event: Event) =>
    Object.entries(match).every(([name, value]) => event[name] === value);
  const wait = Math.min(Number(input["wait"] ?? 0), waitMax);
  if (wait > 0) await standIn.events.wait("", matches, after, wait).catch(() => undefined);
  return { events: standIn.events.after(after, matches), last: standIn.events.last };
}

function phone(standIn: StandIn, input: Input): Phone {
  return standIn.phone(number(input));
}

function number(input: Input): string {
  return text(input, "number");
}

function until(input: Input): number | undefined {
  return typeof input["until"] === "number" ? input["until"] : undefined;
}

function text(input: Input, name: string): string {
  const value = input[name];
  if (typeof value !== "string") throw new Error(`${name} has to be a text`);
  return value;
}

function oneOf<T extends string>(values: readonly T[], value: unknown): T | undefined {
  if (value === undefined || value === null) return undefined;
  const found = values.find((each) => each === value);
  if (!found) throw new Error(`one of ${values.join(", ")} is wanted`);
  return found;
}

function sendable(input: Input): Sendable {
  const { text: plain, data, ...rest } = input;
  if (typeof plain === "string") return { text: plain };
  return { ...rest, data: Buffer.from(String(data), "base64") } as Sendable;
}

function visible({ data, media, ...message }: Shown): Record<string, unknown> {
  return { ...message, sha256: media?.hash.toString("hex"), data: data?.toString("base64") };
}
