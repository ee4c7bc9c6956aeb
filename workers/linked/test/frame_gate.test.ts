import { expect, test } from "vitest";
import { FrameGate } from "../src/baileys/frame_gate.js";
import { settle } from "./support/manual_clock.js";

function later(): { promise: Promise<void>; resolve: () => void; reject: (e: Error) => void } {
  let resolve = (): void => {};
  let reject: (error: Error) => void = () => {};
  const promise = new Promise<void>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  promise.catch(() => {});
  return { promise, resolve, reject };
}

test("a frame leaves at once when nothing is pending", () => {
  const sent: string[] = [];
  new FrameGate(() => undefined).pass(
    () => sent.push("a"),
    () => {},
  );
  expect(sent).toEqual(["a"]);
});

test("a frame waits for what was written before it, and later frames stay behind it", async () => {
  const write = later();
  let pending: Promise<void> | undefined = write.promise;
  const gate = new FrameGate(() => pending);
  const sent: string[] = [];
  gate.pass(
    () => sent.push("a"),
    () => {},
  );
  pending = undefined;
  gate.pass(
    () => sent.push("b"),
    () => {},
  );
  await settle();
  expect(sent).toEqual([]);
  write.resolve();
  await settle();
  expect(sent).toEqual(["a", "b"]);
  gate.pass(
    () => sent.push("c"),
    () => {},
  );
  expect(sent).toEqual(["a", "b", "c"]);
});

test("a frame waits for a status that is not durable yet", async () => {
  const status = later();
  const gate = new FrameGate(() => undefined);
  gate.hold(status.promise);
  const sent: string[] = [];
  gate.pass(
    () => sent.push("ack"),
    () => {},
  );
  await settle();
  expect(sent).toEqual([]);
  status.resolve();
  await settle();
  expect(sent).toEqual(["ack"]);
});

test("nothing leaves after a write that failed", async () => {
  const write = later();
  let pending: Promise<void> | undefined = write.promise;
  const gate = new FrameGate(() => pending);
  const sent: string[] = [];
  const failed: string[] = [];
  gate.pass(
    () => sent.push("a"),
    () => failed.push("a"),
  );
  pending = undefined;
  gate.pass(
    () => sent.push("b"),
    () => failed.push("b"),
  );
  write.reject(new Error("full"));
  await settle();
  gate.pass(
    () => sent.push("c"),
    () => failed.push("c"),
  );
  await settle();
  expect(sent).toEqual([]);
  expect(failed).toEqual(["a", "b", "c"]);
});
