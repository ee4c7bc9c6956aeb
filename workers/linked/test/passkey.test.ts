// Linking through a passkey, with the stand-in, which checks every step by itself.
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Line } from "../src/protocol/lines.js";
import { FakeGateway } from "./support/fake_gateway.js";
import { configOf, event, startStandIn, type StandIn } from "./support/stand_in.js";

let standIn: StandIn;
let gateway: FakeGateway;

beforeAll(async () => {
  standIn = await startStandIn();
  gateway = new FakeGateway(configOf(standIn));
  gateway.start();
  await gateway.line("hello");
});
afterAll(async () => {
  expect(standIn.events.after(0, ({ type }) => type === "violation")).toEqual([]);
  await gateway.stop();
  await standIn.end();
});

/// What an authenticator answers to this challenge.
function assertion(challenge: string): object {
  const text = (bytes: Buffer): string => bytes.toString("base64url");
  const data = { type: "webauthn.get", challenge, origin: "https://web.whatsapp.com" };
  const id = text(randomBytes(32));
  return {
    ...{ id, rawId: id, type: "public-key", authenticatorAttachment: "cross-platform" },
    response: {
      clientDataJSON: text(Buffer.from(JSON.stringify(data))),
      authenticatorData: text(randomBytes(37)),
      signature: text(randomBytes(70)),
      userHandle: text(randomBytes(16)),
    },
  };
}

async function asked(device: string): Promise<{ step: Line; challenge: string }> {
  standIn.phone(device).passkey = true;
  await gateway.ask("device.start", { device, pairing: "qr" });
  const qr = await gateway.line("device.pairing", { device, method: "qr" });
  void standIn.phone(device).scan(qr["payload"] as string).catch(() => {});
  const step = await gateway.line("device.pairing", { device, method: "passkey" });
  const { challenge } = JSON.parse(step["payload"] as string) as { challenge: string };
  return { step, challenge };
}

const answer = (device: string, what: object | string): Promise<Line> =>
  gateway.ask("device.answer", {
    device,
    answer: typeof what === "string" ? what : JSON.stringify(what),
  });

test("an account with a passkey is linked by the assertion of its step", async () => {
  const device = "6281100000021";
  const { step, challenge } = await asked(device);
  expect(step["expires_in_ms"]).toBe(300_000);
  expect(JSON.parse(step["payload"] as string)).toMatchObject({ rpId: "whatsapp.com" });
  expect((await answer(device, assertion(challenge)))["ok"]).toBe(true);
  await event(standIn, "passkey_code", { number: device });
  await gateway.state(device, "connected");
  const steps = gateway.lines.filter((one) => one["op"] === "device.pairing");
  expect(steps.map((one) => one["method"])).toEqual(["qr", "passkey"]);
});

test("an answer that is none is refused, and the right one is taken after it", async () => {
  const device = "6281100000022";
  const { challenge } = await asked(device);
  for (const wrong of ["123456", {}, "null", assertion("another"), '{"response":{}}']) {
    expect((await answer(device, wrong))["error"]).toMatchObject({ kind: "invalid" });
  }
  expect((await answer(device, assertion(challenge)))["ok"]).toBe(true);
  await gateway.state(device, "connected");
  expect((await answer(device, assertion(challenge)))["error"]).toMatchObject({ kind: "invalid" });
});

test("an answer that nobody asked for is refused", async () => {
  const device = "6281100000023";
  expect((await answer(device, {}))["ok"]).toBe(false);
  await gateway.ask("device.start", { device, pairing: "qr" });
  await gateway.line("device.pairing", { device });
  expect((await answer(device, assertion("x")))["error"]).toMatchObject({ kind: "invalid" });
});
