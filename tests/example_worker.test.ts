// The example of a worker, against a gateway of this test's own.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, expect, test } from "vitest";
import { waitFor } from "./support/wait.ts";

const root = join(import.meta.dirname, "..");
const device = "6281100000001";
// Its timers end at a signal.
const timed = `
import runpy, signal, sys, threading
timers = []
class Timer:
    def __init__(self, seconds, then): self.then = then
    def start(self): timers.append(self.then)
def end(*_):
    due, timers[:] = timers[:], []
    for then in due: then()
threading.Timer = Timer
signal.signal(signal.SIGUSR1, end)
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")`;

let folder: string;
let worker: ChildProcess;
let wire: Socket;
let lines: any[];
let stored: string | null;
let refusals: object[]; // The answers to the next requests for stored values.
let nextId: number;

const write = (line: object) => wire.write(`${JSON.stringify(line)}\n`);

function take(line: any): void {
  lines.push(line);
  if (line.id === undefined || line.ok !== undefined) return;
  const error = line.op === "store.get" ? refusals.shift() : undefined;
  if (line.op === "store.put") stored = line.values.creds ?? null;
  const result = line.op === "store.get" ? { values: { creds: stored } } : {};
  write(error ? { id: line.id, ok: false, error } : { id: line.id, ok: true, result });
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "merpati-"));
  [lines, stored, refusals, nextId] = [[], null, [], 1];
  const args = ["-c", timed, join(root, "examples/worker.py"), join(folder, "messages")];
  worker = spawn("python3", args, { stdio: ["ignore", "inherit", "inherit", "pipe"] });
  wire = worker.stdio[3] as Socket;
  createInterface({ input: wire }).on("line", (line) => take(JSON.parse(line)));
  await seen({ op: "hello" });
});
afterEach(async () => {
  const ended = once(worker, "exit");
  write({ id: nextId, op: "shutdown" });
  expect(await ended).toEqual([0, null]);
  rmSync(folder, { recursive: true });
});

/** Waits for a line with these fields, after the first `after` lines. */
const seen = (fields: object, after = 0): Promise<any> =>
  waitFor(JSON.stringify(fields), () =>
    lines
      .slice(after)
      .find((line) => Object.entries(fields).every(([name, value]) => line[name] === value)),
  );

async function ask(op: string, fields: object = {}): Promise<any> {
  const id = nextId++;
  const before = lines.length;
  write({ id, op, device, ...fields });
  return waitFor(op, () =>
    lines.slice(before).find((line) => line.id === id && line.ok !== undefined),
  );
}

/** Ends the timers that the lines so far have started. */
async function endTimers(): Promise<void> {
  await ask("ping");
  worker.kill("SIGUSR1");
}

const gets = (count: number) =>
  waitFor("store.get", () => lines.filter(({ op }) => op === "store.get").length === count);
const states = () => lines.filter(({ op }) => op === "device.state").map(({ state }) => state);
const message = { message: "m", to: "6281234567890", text: "Halo" };

test("a device is linked by its code, and connects with its credentials later", async () => {
  await ask("device.start");
  await seen({ op: "device.pairing" });
  await ask("device.answer", { answer: "123456" });
  await seen({ state: "connected" });
  expect(await ask("send", message)).toMatchObject({ result: { outcome: "sent" } });
  expect(readFileSync(join(folder, "messages"), "utf8")).toContain("Halo");
  await ask("device.stop");
  expect(await ask("send", message)).toMatchObject({ error: { kind: "device_down" } });
  const before = lines.length;
  await ask("device.start");
  await seen({ state: "connected" }, before);
});

test("a wrong code is followed by the next step", async () => {
  await ask("device.start");
  await seen({ op: "device.pairing" });
  const before = lines.length;
  await ask("device.answer", { answer: "000000" });
  expect((await seen({ op: "device.pairing" }, before)).payload).toContain("Kode salah");
});

test("a step that expires ends the pairing with a reason", async () => {
  await ask("device.start");
  await seen({ op: "device.pairing" });
  await endTimers();
  const { reason } = await seen({ state: "disconnected" });
  expect(reason).not.toBe("");
  expect(await ask("device.answer", { answer: "123456" })).toMatchObject({
    error: { kind: "invalid" },
  });
});

test("a store that is busy is asked again, and one that fails pairs nobody", async () => {
  stored = "c2VjcmV0";
  refusals = [{ kind: "busy", retry_after_ms: 1 }, { kind: "busy" }];
  await ask("device.start");
  for (const count of [1, 2]) {
    await gets(count);
    await endTimers();
  }
  await seen({ state: "connected" });
  refusals = [{ kind: "unavailable" }];
  await ask("device.start");
  await seen({ state: "disconnected" });
  expect(states()).toEqual(["connected", "disconnected"]);
});

test("a device that is stopped reports no more", async () => {
  await ask("device.start");
  await seen({ op: "device.pairing" });
  await ask("device.stop");
  expect(await ask("device.answer", { answer: "123456" })).toMatchObject({
    error: { kind: "invalid" },
  });
  const other = "6281100000002";
  await ask("device.start", { device: other });
  await seen({ op: "device.pairing", device: other });
  await endTimers();
  await seen({ device: other, state: "disconnected" });
  expect(lines.filter((line) => line.device === device && line.state === "disconnected")).toEqual(
    [],
  );
});

test("all that it says of a device carries the generation of the start", async () => {
  await ask("device.start", { generation: 7 });
  await seen({ op: "device.pairing" });
  await ask("device.answer", { answer: "123456" });
  await seen({ state: "connected" });
  const before = lines.length;
  await ask("device.stop");
  await ask("device.start", { generation: 8 });
  await seen({ state: "connected" }, before);
  const generations = (all: any[]) =>
    new Set(all.filter((line) => line.device === device).map(({ generation }) => generation));
  expect(generations(lines.slice(0, before))).toEqual(new Set([7]));
  expect(generations(lines.slice(before))).toEqual(new Set([8]));
});

test("an unknown operation is unsupported", async () => {
  expect(await ask("dance")).toMatchObject({ error: { kind: "unsupported" } });
});
