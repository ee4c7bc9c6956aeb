import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Line } from "../src/protocol/lines.js";
import { event } from "./support/stand_in.js";
import { World } from "./support/world.js";

const ROUNDS = 7;
const BURST = 6;

let world: World;

beforeAll(async () => {
  world = await World.create();
});
afterAll(() => world.end());

/// Like the gateway: sends the same message again until its outcome is known.
async function sendUntilKnown(text: string): Promise<string> {
  const message = randomUUID();
  for (let attempt = 1; ; attempt++) {
    const sending = world.send({ message, text, attempt });
    const answer: Line | undefined = await Promise.race([sending, world.gateway.died()]);
    if (answer?.["ok"]) {
      return (answer["result"] as { platform_id: string }).platform_id;
    }
    await world.gateway.up();
  }
}

test("no message is lost or shown twice when the worker is killed in mid-send", async () => {
  const texts: string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const burst = Array.from({ length: BURST }, (_, index) => `putaran ${round}, pesan ${index}`);
    texts.push(...burst);
    const sending = burst.map((text) => sendUntilKnown(text));
    const before = world.standIn.events.last;
    // Kills at another position in the burst each round.
    if (round % BURST > 0) {
      const text = burst[(round % BURST) - 1]!;
      await event(world.standIn, "shown", { text }, before);
    }
    await world.gateway.whileDown(() => world.restartWorker());
    const ids = await Promise.all(sending);
    await Promise.all(ids.map((id) => event(world.standIn, "shown", { id })));
  }
  const shown = world.standIn.phone(world.friend).shown.map((each) => each.text);
  expect([...shown].sort()).toEqual([...texts].sort());
}, 120_000);
