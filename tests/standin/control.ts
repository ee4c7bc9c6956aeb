// The words by which other processes control the stand-in (README.md lists them).
import type { Server } from "node:http";
import { serve, text, type Actions, type Input } from "../control/server.ts";
import type { Phone, Sendable, Shown } from "./phone/phone.ts";
import { chainFaults, type ChainFault } from "./server/certificate.ts";
import type { Event } from "./server/events.ts";
import type { Fault } from "./server/faults.ts";
import { signatureFaults, type SignatureFault } from "./server/pairing.ts";
import { lookUpFaults, type LookUpFault } from "./server/user_query.ts";
import type { StandIn } from "./stand_in.ts";

const bodyMax = 96 * 1024 * 1024;
const waitMax = 60_000;

const actions: Actions<StandIn> = {
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

export function serveControl(standIn: StandIn): Promise<Server> {
  return serve(standIn, actions, bodyMax);
}

export function about(standIn: StandIn): Record<string, string> {
  return {
    url: standIn.url,
    media: standIn.address,
    root_file: standIn.rootFile,
    root_key: standIn.rootKey.toString("hex"),
  };
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
