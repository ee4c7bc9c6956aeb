import { expect, test } from "vitest";
import { bucketOf } from "../src/store/buckets.js";
import { DeviceStore } from "../src/store/device_store.js";
import { type Hold, KeyStore } from "../src/store/key_store.js";
import { settle } from "./support/manual_clock.js";
import { MemoryValues } from "./support/memory_values.js";

const device = "6281100000001";
const session = (value: string): never => ({ session: { "1.0": { value } } }) as never;

function world(): { values: MemoryValues; keys: KeyStore } {
  const values = new MemoryValues();
  return { values, keys: new KeyStore(new DeviceStore(values, device)) };
}

test("bytes come back as bytes", async () => {
  const { values, keys } = world();
  const pair = { public: Buffer.alloc(32, 1), private: Buffer.alloc(32, 2) };
  await keys.set({ "pre-key": { "7": pair } });
  const again = new KeyStore(new DeviceStore(values, device));
  const found = await again.get("pre-key", ["7"]);
  expect(Buffer.from(found["7"]!.private)).toEqual(pair.private);
});

test("what is kept back is seen by its holder alone, and written when that ends well", async () => {
  const { values, keys } = world();
  await keys.set(session("old"));
  let goOn = (): void => {};
  const waited = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  let holder: Hold | undefined;
  const work = keys.hold(async (hold) => {
    holder = hold;
    await keys.set(session("new"), hold);
    await waited;
    return "plain";
  });
  await settle();
  const before = values.puts.length;
  expect(await keys.get("session", ["1.0"], holder)).toEqual({ "1.0": { value: "new" } });
  let other: unknown;
  void keys.get("session", ["1.0"]).then((found) => {
    other = found;
  });
  await settle();
  expect(other).toBeUndefined();
  expect(values.puts.length).toBe(before);
  goOn();
  expect(await work).toBe("plain");
  await settle();
  expect(other).toEqual({ "1.0": { value: "new" } });
  expect(values.puts.length).toBe(before + 1);
});

test("what is kept back is dropped when the work fails", async () => {
  const { keys } = world();
  await keys.set(session("old"));
  const work = keys.hold(async (hold) => {
    await keys.set(session("new"), hold);
    throw new Error("the gateway did not take the message");
  });
  await expect(work).rejects.toThrow();
  expect(await keys.get("session", ["1.0"])).toEqual({ "1.0": { value: "old" } });
});

test("the list of contacts with a token stays short", async () => {
  const { values, keys } = world();
  const contacts = Array.from({ length: 5000 }, (_, index) => `${index}@lid`);
  await keys.set({ tctoken: { __index: { token: Buffer.from(JSON.stringify(contacts)) } } });
  const again = new KeyStore(new DeviceStore(values, device));
  const found = await again.get("tctoken", ["__index"]);
  const kept = JSON.parse(Buffer.from(found["__index"]!.token).toString()) as string[];
  expect(kept).toHaveLength(1000);
  expect(kept.at(-1)).toBe("4999@lid");
});

test("a key that cannot be decoded counts as absent, and spoils no other", async () => {
  const values = new MemoryValues();
  await new DeviceStore(values, device).write([
    { kind: "session", id: "1.0", text: "{" },
    { kind: "session", id: "2.0", text: '{"value":"whole"}' },
  ]);
  const reported: string[] = [];
  const store = new DeviceStore(values, device, undefined, (name) => reported.push(name));
  const found = await new KeyStore(store).get("session", ["1.0", "2.0"]);
  expect(found).toEqual({ "2.0": { value: "whole" } });
  expect(reported).toEqual([bucketOf("session", "1.0")]);
});

test("copies of the app's state are not kept", async () => {
  const values = new MemoryValues();
  const store = new DeviceStore(values, "6281100000001");
  const keys = new KeyStore(store);
  const indexValueMap = Object.fromEntries(
    Array.from({ length: 10_000 }, (_, at) => [`${at}`, { valueMac: Buffer.alloc(32) }]),
  );
  const state = { version: 1, hash: Buffer.alloc(128), indexValueMap };
  await keys.set({ "app-state-sync-version": { critical_unblock_low: state } });
  expect(values.puts).toEqual([]);
  expect(await keys.get("app-state-sync-version", ["critical_unblock_low"])).toEqual({});
});
