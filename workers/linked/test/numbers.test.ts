import { beforeEach, expect, test } from "vitest";
import { NumberCache, Numbers } from "../src/sending/numbers.js";
import { ManualClock, settle } from "./support/manual_clock.js";

let clock: ManualClock;
let cache: NumberCache;
let numbers: Numbers;
let asked: { number: string; at: number }[];

beforeEach(() => {
  clock = new ManualClock();
  cache = new NumberCache(clock);
  numbers = new Numbers(clock, cache);
  asked = [];
});

const lookUp = async (number: string): Promise<string | null> => {
  asked.push({ number, at: clock.now() });
  return number.startsWith("62") ? `${number}@s.whatsapp.net` : null;
};

test("an answer is kept, for a day when the number is registered", async () => {
  expect(await numbers.find("628", lookUp)).toBe("628@s.whatsapp.net");
  await clock.advance(23 * 3_600_000);
  await numbers.find("628", lookUp);
  expect(asked).toHaveLength(1);
  await clock.advance(2 * 3_600_000);
  await numbers.find("628", lookUp);
  expect(asked).toHaveLength(2);
});

test("an answer is kept for an hour when it is not registered", async () => {
  expect(await numbers.find("999", lookUp)).toBeNull();
  await clock.advance(59 * 60_000);
  await numbers.find("999", lookUp);
  expect(asked).toHaveLength(1);
  await clock.advance(2 * 60_000);
  await numbers.find("999", lookUp);
  expect(asked).toHaveLength(2);
});

test("questions never leave in a burst", async () => {
  const answers = Array.from({ length: 20 }, (_, index) => numbers.find(`62${index}`, lookUp));
  await clock.advance(20_000);
  await Promise.all(answers);
  const gaps = asked.slice(1).map(({ at }, index) => at - asked[index]!.at);
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(700);
});

test("many who ask for one number ask once", async () => {
  await Promise.all(Array.from({ length: 50 }, () => numbers.find("628", lookUp)));
  expect(asked).toHaveLength(1);
});

test("what the platform did not say is not kept", async () => {
  await expect(numbers.find("628", async () => undefined)).rejects.toMatchObject({
    kind: "unavailable",
  });
  const again = numbers.find("628", lookUp);
  await clock.advance(1_000);
  expect(await again).toBe("628@s.whatsapp.net");
});

test("more than may wait are told to come later", async () => {
  const never = (): Promise<null> => new Promise(() => {});
  for (let count = 0; count < 256; count++) {
    void numbers.find(`62${count}`, never);
  }
  await expect(numbers.find("629999", never)).rejects.toMatchObject({ kind: "throttled" });
});

test("a device that is stopped asks no more", async () => {
  const controller = new AbortController();
  await numbers.find("621", lookUp);
  const waiting = numbers.find("622", lookUp, controller.signal);
  await settle();
  controller.abort();
  await expect(waiting).rejects.toMatchObject({ kind: "device_down" });
  expect(asked).toHaveLength(1);
});

test("a device that asks for many numbers does not delay another", async () => {
  for (let count = 0; count < 200; count++) {
    void numbers.find(`62${count}`, lookUp);
  }
  const other = new Numbers(clock, cache);
  expect(await other.find("628", lookUp)).toBe("628@s.whatsapp.net");
});

test("a device that is stopped while it asks spoils no other's question", async () => {
  const controller = new AbortController();
  await numbers.find("621", lookUp);
  void numbers.find("622", lookUp, controller.signal).catch(() => {});
  const other = new Numbers(clock, cache).find("622", lookUp);
  controller.abort();
  expect(await other).toBe("622@s.whatsapp.net");
});

test("what one device was told, another knows", async () => {
  await numbers.find("628", lookUp);
  await new Numbers(clock, cache).find("628", lookUp);
  expect(asked).toHaveLength(1);
});

test("a device that starts again shares no look-up of its last connection", async () => {
  const controller = new AbortController();
  await numbers.find("621", lookUp);
  const before = numbers.find("622", async () => null, controller.signal);
  await settle();
  controller.abort();
  const after = numbers.find("622", lookUp);
  const afterwards = numbers.find("622", lookUp);
  await expect(before).rejects.toMatchObject({ kind: "device_down" });
  const meanwhile = numbers.find("622", lookUp);
  await clock.advance(1_000);
  expect(await Promise.all([after, afterwards, meanwhile])).toEqual(
    Array.from({ length: 3 }, () => "622@s.whatsapp.net"),
  );
  expect(asked.map(({ number }) => number)).toEqual(["621", "622"]);
});
