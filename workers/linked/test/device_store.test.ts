import { expect, test } from "vitest";
import { ProtocolError } from "../src/protocol/errors.js";
import { bucketOf } from "../src/store/buckets.js";
import { DeviceStore } from "../src/store/device_store.js";
import { settle } from "./support/manual_clock.js";
import { MemoryValues } from "./support/memory_values.js";

const device = "6281100000001";

test("what was written is read again by another store", async () => {
  const values = new MemoryValues();
  await new DeviceStore(values, device).write([{ kind: "session", id: "1.0", text: "a" }]);
  const found = await new DeviceStore(values, device).read("session", ["1.0", "2.0"]);
  expect([...found]).toEqual([["1.0", "a"]]);
});

test("a write resolves when it is durable, and not before", async () => {
  const values = new MemoryValues();
  const store = new DeviceStore(values, device);
  values.holdUp();
  let durable = false;
  const write = store.write([{ kind: "session", id: "1.0", text: "a" }]).then(() => {
    durable = true;
  });
  await settle();
  expect(durable).toBe(false);
  expect(store.pending()).toBeDefined();
  values.goOn();
  await write;
  expect(store.pending()).toBeUndefined();
});

test("writes of one turn leave in one put", async () => {
  const values = new MemoryValues();
  const store = new DeviceStore(values, device);
  await store.read("session", ["1.0", "2.0", "3.0"]);
  await Promise.all(
    ["1.0", "2.0", "3.0"].map((id) => store.write([{ kind: "session", id, text: id }])),
  );
  expect(values.puts).toHaveLength(1);
});

test("writes that come during a put leave together after it", async () => {
  const values = new MemoryValues();
  const store = new DeviceStore(values, device);
  values.holdUp();
  const first = store.writeValue("c", Buffer.from("1"));
  await settle();
  const later = ["a", "b"].map((name) => store.writeValue(name, Buffer.from(name)));
  await settle();
  expect(values.puts).toHaveLength(1);
  values.goOn();
  await Promise.all([first, ...later]);
  expect(values.puts).toHaveLength(2);
});

test("a put that fails ends the store, because memory is ahead of what is kept", async () => {
  const values = new MemoryValues();
  let failed: Error | undefined;
  const store = new DeviceStore(values, device, (error) => {
    failed = error;
  });
  values.refuse = new ProtocolError("unavailable");
  await expect(store.write([{ kind: "session", id: "1.0", text: "a" }])).rejects.toThrow();
  expect(failed).toBeDefined();
  values.refuse = undefined;
  await expect(store.write([{ kind: "session", id: "1.0", text: "b" }])).rejects.toThrow();
  await expect(store.read("session", ["1.0"])).rejects.toThrow();
});

test("a refused value that no message depends on is dropped, and the others are kept", async () => {
  const values = new MemoryValues();
  const damaged: string[] = [];
  const failed = (error: Error): void => {
    throw error;
  };
  const store = new DeviceStore(values, device, failed, (name) => damaged.push(name));
  const token = bucketOf("tctoken", "1@lid");
  values.refuseNames = [token];
  await store.write([
    { kind: "session", id: "1.0", text: "a" },
    { kind: "tctoken", id: "1@lid", text: "b" },
    { kind: "lid-mapping", id: "1", text: "c" },
  ]);
  expect(damaged).toEqual([token]);
  const later = new DeviceStore(values, device);
  expect((await later.read("session", ["1.0"])).size).toBe(1);
  expect((await later.read("lid-mapping", ["1"])).size).toBe(1);
  expect((await store.read("tctoken", ["1@lid"])).size).toBe(0); // As the gateway has it.
  values.refuseNames = [];
  await store.write([{ kind: "tctoken", id: "1@lid", text: "b" }]);
  expect((await later.read("tctoken", ["1@lid"])).size).toBe(1);
});

test.each(["session", "pre-key", "sender-key", "identity-key"] as const)(
  "a refused %s ends the store",
  async (kind) => {
    const values = new MemoryValues();
    let failed: Error | undefined;
    const store = new DeviceStore(values, device, (error) => {
      failed = error;
    });
    values.refuseNames = [bucketOf(kind, "1")];
    await expect(store.write([{ kind, id: "1", text: "a" }])).rejects.toThrow();
    expect(failed).toBeDefined();
  },
);

test.each(["get", "put"] as const)("a failed %s ends the store that writes", async (op) => {
  const values = new MemoryValues();
  values[op] = async () => Promise.reject(new ProtocolError("unavailable"));
  const failures: Error[] = [];
  const store = new DeviceStore(values, device, (error) => void failures.push(error));
  const written = ["1.0", "2.0"].map((id) => store.write([{ kind: "session", id, text: "a" }]));
  for (const each of written) {
    await expect(each).rejects.toThrow("unavailable");
  }
  await expect(store.read("session", ["3.0"])).rejects.toThrow("unavailable");
  expect(failures).toHaveLength(1);
});

test.each(["get", "put"] as const)("nothing of a forgotten device is needed: %s", async (op) => {
  const values = new MemoryValues();
  values[op] = async () => Promise.reject(new ProtocolError("not_found"));
  const failures: Error[] = [];
  const fail = (error: Error): void => void failures.push(error);
  let forget = (): void => {};
  const removed = (): Promise<void> => new Promise((resolve) => (forget = resolve));
  const store = new DeviceStore(values, device, fail, () => {}, removed);
  let isDurable = false;
  const written = store.write([{ kind: "session", id: "1.0", text: "a" }]);
  void written.then(() => (isDurable = true));
  await settle();
  expect(isDurable).toBe(false);
  forget();
  await written;
  expect(failures).toEqual([]);
});

test("what does not fit one answer is asked for in halves", async () => {
  const values = new MemoryValues();
  const ids = Array.from({ length: 20 }, (_, index) => `${index}.0`);
  await new DeviceStore(values, device).write(
    ids.map((id) => ({ kind: "session" as const, id, text: id })),
  );
  values.namesMax = 3;
  const found = await new DeviceStore(values, device).read("session", ids);
  expect(found.size).toBe(20);
});

test("the pre-keys of a new device fit few values and one put", async () => {
  const values = new MemoryValues();
  const store = new DeviceStore(values, device);
  const key = "x".repeat(180);
  await store.write(
    Array.from({ length: 812 }, (_, index) => ({
      kind: "pre-key" as const,
      id: `${index + 1}`,
      text: key,
    })),
  );
  expect(values.puts).toHaveLength(1);
  expect(values.values.size).toBe(13);
});

test("a hundred thousand contacts stay below the gateway's limits", () => {
  const names = new Set<string>();
  for (let contact = 0; contact < 100_000; contact++) {
    const id = `${628_000_000_000 + contact}`;
    names.add(bucketOf("session", `${id}_1.0`));
    names.add(bucketOf("identity-key", `${id}_1.0`));
    names.add(bucketOf("lid-mapping", id));
    names.add(bucketOf("device-list", id));
    names.add(bucketOf("tctoken", id));
  }
  expect(names.size).toBeLessThan(10_000);
});

test("a bucket that is full drops what was written the longest ago", async () => {
  const values = new MemoryValues();
  const store = new DeviceStore(values, device);
  const text = "x".repeat(1000);
  const bucket = bucketOf("sent", "0");
  const ids: string[] = [];
  for (let number = 0; ids.length < 20; number++) {
    if (bucketOf("sent", `${number}`) === bucket) {
      ids.push(`${number}`);
    }
  }
  for (const id of ids) {
    await store.write([{ kind: "sent", id, text }]);
  }
  const found = await store.read("sent", ids);
  expect(found.size).toBeLessThan(20);
  expect(found.has(ids[19]!)).toBe(true);
  expect(found.has(ids[0]!)).toBe(false);
});

/// Ids in distinct buckets.
function idsOfBuckets(count: number): string[] {
  const ids = new Map<string, string>();
  for (let number = 0; ids.size < count; number++) {
    ids.set(bucketOf("session", `${number}.0`), `${number}.0`);
  }
  return [...ids.values()];
}

/// How many of the buckets a read has to fetch.
async function fetchedFor(values: MemoryValues, store: DeviceStore, ids: string[]) {
  values.gets = [];
  await store.read("session", ids);
  return values.gets.flat().length;
}

const LARGE = "x".repeat(100_000);

test("the cache keeps at most 2 MiB of what was written", async () => {
  const values = new MemoryValues();
  const store = new DeviceStore(values, device);
  const ids = idsOfBuckets(60);
  for (const id of ids) {
    await store.write([{ kind: "session", id, text: LARGE }]);
  }
  expect(await fetchedFor(values, store, ids)).toBeGreaterThanOrEqual(39);
});

test("the cache keeps at most 2 MiB of what was read", async () => {
  const values = new MemoryValues();
  const ids = idsOfBuckets(60);
  await new DeviceStore(values, device).write(
    ids.map((id) => ({ kind: "session" as const, id, text: LARGE })),
  );
  const store = new DeviceStore(values, device);
  const found = await store.read("session", ids);
  expect(found.size).toBe(60);
  expect(await fetchedFor(values, store, ids)).toBeGreaterThanOrEqual(39);
});

test("the cache drops what was used the longest ago", async () => {
  const values = new MemoryValues();
  const store = new DeviceStore(values, device);
  const [hot, ...others] = idsOfBuckets(60);
  await store.write([{ kind: "session", id: hot!, text: LARGE }]);
  for (const id of others) {
    await store.write([{ kind: "session", id, text: LARGE }]);
    expect(await fetchedFor(values, store, [hot!])).toBe(0);
  }
});

test("nothing that a write changes is dropped before it is durable", async () => {
  const values = new MemoryValues();
  const store = new DeviceStore(values, device);
  const ids = idsOfBuckets(60);
  values.holdUp();
  const written = store.write(ids.map((id) => ({ kind: "session", id, text: LARGE })));
  await settle();
  expect((await store.read("session", ids)).size).toBe(60);
  values.goOn();
  await written;
  expect((await store.read("session", ids)).size).toBe(60);
});

test.each(["{", "{}", "7", '[["1.0"]]', '[["1.0",7]]', "[7]", "\0"])(
  "a bucket of %j counts as empty, is reported, and spoils no other",
  async (damaged) => {
    const values = new MemoryValues();
    const [first, second] = idsOfBuckets(2);
    const bad = bucketOf("session", first!);
    await new DeviceStore(values, device).write([{ kind: "session", id: second!, text: "b" }]);
    values.values.set(bad, Buffer.from(damaged).toString("base64"));
    const reported: string[] = [];
    const store = new DeviceStore(values, device, undefined, (name) => reported.push(name));
    expect([...(await store.read("session", [first!, second!]))]).toEqual([[second, "b"]]);
    expect(reported).toEqual([bad]);
    await store.write([{ kind: "session", id: first!, text: "a" }]);
    const again = await new DeviceStore(values, device).read("session", [first!, second!]);
    expect(again.size).toBe(2);
  },
);
