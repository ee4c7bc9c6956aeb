import type { proto } from "baileys";
import { beforeEach, expect, test, vi } from "vitest";
import { currentScope } from "../src/baileys/scope.js";
import { ProtocolError } from "../src/protocol/errors.js";
import { Acks } from "../src/sending/acks.js";
import { isOurs, type Outgoing, platformId } from "../src/sending/content.js";
import { NumberCache, Numbers } from "../src/sending/numbers.js";
import { Sender, type Transport, typingTime } from "../src/sending/sender.js";
import { ManualClock } from "./support/manual_clock.js";

let clock: ManualClock;
let acks: Acks;
let sender: Sender;
let transport: Transport & { relayed: string[]; events: string[] };
let stop: AbortController;
let encrypts: boolean;
let relayError: Error | undefined;

beforeEach(() => {
  clock = new ManualClock();
  acks = new Acks(clock);
  stop = new AbortController();
  encrypts = true;
  relayError = undefined;
  const scope = { device: "6281", fail: () => {} };
  sender = new Sender(clock, () => 0.5, new Numbers(clock, new NumberCache(clock)), acks, scope);
  transport = {
    relayed: [],
    events: [],
    lookUp: async (number) => `${number}@s.whatsapp.net`,
    checkChat: async () => {},
    askRestriction: async () => {},
    typing: async (_address, on) => void transport.events.push(on ? "typing" : "paused"),
    prepare: async () => ({}) as proto.IMessage,
    relay: async (_address, { id }) => {
      transport.relayed.push(id);
      transport.events.push("relayed");
      currentScope()!.send!.encrypted = encrypts;
      if (relayError) {
        throw relayError;
      }
    },
    forgetDevices: async () => void transport.events.push("forgotten"),
  };
});

const outgoing = (fields: Partial<Outgoing> = {}): Outgoing => ({
  message: "0197b9d0-5a3c-7c1e-9d53-5d1f0a7f3f10",
  to: "6281234567890",
  text: "Halo",
  typing: false,
  ...fields,
});

const id = platformId(outgoing().message);

/// Waits for files that are read before.
const relayedTo = (part: string): Promise<void> =>
  vi.waitFor(() => expect(transport.relayed).toContain(part));

test("the id of a message is the same on every attempt, and known as ours", () => {
  expect(platformId("a")).toBe(platformId("a"));
  expect(platformId("a")).not.toBe(platformId("b"));
  expect(platformId("a", "text")).not.toBe(platformId("a"));
  expect(platformId("a")).toMatch(/^3EB0[0-9A-F]{18}$/);
  expect(isOurs(platformId("a"))).toBe(true);
  expect(isOurs("3EB0C431C26A1916E07A8F")).toBe(false);
});

test("a message is sent when the platform acknowledged it, and not before", async () => {
  let answer: string | undefined;
  const sending = sender.send(transport, outgoing(), stop.signal).then((said) => {
    answer = said;
  });
  await clock.advance(5_000);
  expect(transport.relayed).toEqual([id]);
  expect(answer).toBeUndefined();
  acks.taken(id);
  await sending;
  expect(answer).toBe(id);
});

test("no acknowledgement in time leaves the outcome unknown", async () => {
  const sending = sender.send(transport, outgoing(), stop.signal);
  const outcome = expect(sending).rejects.toMatchObject({ kind: "outcome_unknown" });
  await clock.advance(31_000);
  await outcome;
});

test("a send that failed before anything was encrypted did not leave", async () => {
  encrypts = false;
  relayError = new Error("no keys");
  await expect(sender.send(transport, outgoing(), stop.signal)).rejects.toMatchObject({
    kind: "unavailable",
    cause: relayError,
  });
});

test("a send that failed after something was encrypted may have left", async () => {
  relayError = new Error("connection closed");
  const sending = sender.send(transport, outgoing(), stop.signal);
  const outcome = expect(sending).rejects.toMatchObject({ kind: "outcome_unknown" });
  await clock.advance(31_000);
  await outcome;
});

test.each([
  ["463", "account_restricted"],
  ["403", "recipient_refused"],
  ["429", "throttled"],
  ["500", "unavailable"],
  ["499", "refused"],
])("the refusal %s is %s", async (code, kind) => {
  const sending = sender.send(transport, outgoing(), stop.signal);
  const outcome = expect(sending).rejects.toMatchObject({ kind, platformCode: code });
  await clock.advance(0);
  acks.refused(id, code);
  await outcome;
});

test("a stale list of devices is forgotten, and the message sent once more", async () => {
  const sending = sender.send(transport, outgoing(), stop.signal);
  await clock.advance(0);
  acks.refused(id, "479");
  await clock.advance(0);
  expect(transport.events).toEqual(["relayed", "forgotten", "relayed"]);
  acks.taken(id);
  expect(await sending).toBe(id);
});

test("typing lasts as the text is long, and ends when the device is stopped", async () => {
  expect(typingTime(1, () => 0.5)).toBeLessThan(typingTime(100, () => 0.5));
  expect(typingTime(65_536, () => 0.99)).toBeLessThanOrEqual(12_000);
  const sending = sender.send(transport, outgoing({ typing: true }), stop.signal);
  const outcome = expect(sending).rejects.toMatchObject({ kind: "device_down" });
  await clock.advance(100);
  expect(transport.events).toEqual(["typing"]);
  stop.abort();
  await outcome;
  expect(transport.relayed).toEqual([]);
});

test("a message that fails does not hold up the next one", async () => {
  transport.prepare = async () => Promise.reject(new Error("upload"));
  await expect(sender.send(transport, outgoing(), stop.signal)).rejects.toMatchObject({
    kind: "unavailable",
  });
  transport.prepare = async () => ({}) as proto.IMessage;
  const next = sender.send(transport, outgoing(), stop.signal);
  await clock.advance(0);
  acks.taken(id);
  expect(await next).toBe(id);
});

const voice = (): Outgoing =>
  outgoing({ media: { path: "/x", mime: "audio/mpeg", bytes: 9, sha256: "00" } });
const textId = platformId(outgoing().message, "text");

test("a file that cannot be uploaded leaves the recipient no text without it", async () => {
  transport.prepare = async (_address, part) => {
    if (part.upload) {
      throw new Error("no media host");
    }
    return {} as proto.IMessage;
  };
  await expect(sender.send(transport, voice(), stop.signal)).rejects.toMatchObject({
    kind: "unavailable",
  });
  expect(transport.relayed).toEqual([]);
});

test("a file that is refused after its text says that the text has arrived", async () => {
  const sending = sender.send(transport, voice(), stop.signal);
  const outcome = expect(sending).rejects.toMatchObject({
    kind: "recipient_refused",
    details: expect.stringContaining("teksnya sudah terkirim"),
  });
  await relayedTo(textId);
  acks.taken(textId);
  await relayedTo(id);
  acks.refused(id, "403");
  await outcome;
});

test("a text that is refused keeps its file back", async () => {
  const sending = sender.send(transport, voice(), stop.signal);
  const outcome = expect(sending).rejects.toMatchObject({ kind: "recipient_refused" });
  await relayedTo(textId);
  acks.refused(textId, "403");
  await outcome;
  expect(transport.relayed).toEqual([textId]);
});

test("what closes with the connection is not known, whoever waits", async () => {
  const sending = sender.send(transport, outgoing(), stop.signal);
  const outcome = expect(sending).rejects.toMatchObject({ kind: "outcome_unknown" });
  await clock.advance(0);
  acks.closed();
  await outcome;
});

test("during a restriction a new chat is neither looked up nor sent", async () => {
  transport.lookUp = async () => {
    throw new Error("looked up");
  };
  transport.checkChat = async () => {
    throw new ProtocolError("restricted", "", undefined, undefined, 7);
  };
  await expect(sender.send(transport, outgoing(), stop.signal)).rejects.toMatchObject({
    kind: "restricted",
    untilAtMs: 7,
  });
  expect(transport.relayed).toEqual([]);
});
