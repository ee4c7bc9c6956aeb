// Linking through a passkey at the stand-in. No client here can be given an assertion, so that an
// unmodified client proves only the challenge. What follows it our worker proves, which shares no
// code with the stand-in: workers/linked/test/passkey.test.ts.
import { afterAll, beforeAll, expect, test } from "vitest";
import { SecondClient } from "./standin/testing/second_client.ts";
import { World } from "./standin/testing/world.ts";

let world: World;

beforeAll(async () => {
  world = await World.create();
});
afterAll(() => world.end());

test("an unmodified client understands the challenge, and is not linked by it", async () => {
  const phone = world.standIn.phone("628118000001");
  phone.passkey = true;
  const client = await SecondClient.start(world.standIn);
  void phone.scan(await client.qr());
  const { data } = await client.event("pair_passkey_request");
  expect(JSON.parse(data.request_options_json)).toMatchObject({
    challenge: expect.stringMatching(/^[\w-]{43}$/),
    rpId: "whatsapp.com",
    userVerification: "required",
  });
  await client.end();
  expect(world.standIn.events.after(0, ({ type }) => type === "paired")).toEqual([]);
  expect(world.violations()).toEqual([]);
});
