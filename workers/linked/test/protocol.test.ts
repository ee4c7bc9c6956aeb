import { Duplex } from "node:stream";
import { beforeEach, expect, test } from "vitest";
import { ProtocolError, shortened } from "../src/protocol/errors.js";
import { Gateway } from "../src/protocol/gateway.js";
import { encodeLine, type Line, LineReader } from "../src/protocol/lines.js";
import { Peer } from "../src/protocol/peer.js";
import { RequestLimit } from "../src/protocol/request_limit.js";
import { ManualClock, settle } from "./support/manual_clock.js";

class Wire extends Duplex {
  readonly written: Line[] = [];
  override _read(): void {}
  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.written.push(...new LineReader().push(chunk));
    done();
  }
  give(line: Line): void {
    this.push(encodeLine(line));
  }
}

let clock: ManualClock;
let wire: Wire;
let peer: Peer;
let broken: string[];

beforeEach(() => {
  clock = new ManualClock();
  wire = new Wire();
  broken = [];
  const handle = async (op: string): Promise<Line> => {
    if (op === "fail") {
      throw new ProtocolError("device_down", "Perangkat tidak terhubung", "440", 5);
    }
    if (op === "fault") {
      throw new Error("secret details");
    }
    return { op };
  };
  peer = new Peer(wire, clock, handle, (reason) => broken.push(reason));
});

test("lines come whole, however the bytes are cut", () => {
  const reader = new LineReader();
  const bytes = Buffer.concat([encodeLine({ a: "é" }), encodeLine({ b: 2 })]);
  const lines = [...bytes].flatMap((byte) => reader.push(Buffer.from([byte])));
  expect(lines).toEqual([{ a: "é" }, { b: 2 }]);
});

test.each([
  ["a line that is too long", Buffer.alloc(2_000_000, 0x61)],
  ["no UTF-8", Buffer.from([0x22, 0xff, 0x22, 0x0a])],
  ["no object", Buffer.from("[1]\n")],
  ["no JSON", Buffer.from("{\n")],
  ["none of the kinds", Buffer.from('{"hello":1}\n')],
])("%s breaks the protocol, once", async (_what, bytes) => {
  wire.push(bytes);
  wire.push(bytes);
  await settle();
  expect(broken).toHaveLength(1);
});

test("requests are answered, whatever becomes of them", async () => {
  wire.give({ id: 1, op: "ping" });
  wire.give({ id: 2, op: "fail" });
  wire.give({ id: 3, op: "fault" });
  wire.give({ op: "notice" });
  await settle();
  expect(wire.written).toHaveLength(3);
  expect(wire.written).toContainEqual({ id: 1, ok: true, result: { op: "ping" } });
  const details = "Perangkat tidak terhubung";
  const error = { kind: "device_down", details, platform_code: "440", retry_after_ms: 5 };
  expect(wire.written).toContainEqual({ id: 2, ok: false, error });
  expect(JSON.stringify(wire.written)).not.toContain("secret");
});

test("an answer that nobody waits for is ignored, and so is a late one", async () => {
  wire.give({ id: 77, ok: true });
  const asking = peer.request("store.get");
  const outcome = expect(asking).rejects.toMatchObject({ kind: "unavailable" });
  await clock.advance(66_000);
  await outcome;
  wire.give({ id: 1, ok: true, result: {} });
  await settle();
  expect(broken).toEqual([]);
});

test("what is under way fails when the socket ends", async () => {
  const asking = peer.request("store.put");
  const outcome = expect(asking).rejects.toMatchObject({ kind: "closing" });
  wire.push(null);
  await outcome;
  expect(broken).toHaveLength(1);
});

test("what the gateway is too busy for is offered again, for half a minute", async () => {
  let offered = 0;
  const busy = async (): Promise<Line> => {
    offered++;
    throw new ProtocolError("busy", "", undefined, 1_000);
  };
  const gateway = new Gateway({ request: busy, notice: () => {} }, clock);
  const outcome = expect(gateway.put("628", {})).rejects.toMatchObject({ kind: "busy" });
  await clock.advance(60_000);
  await outcome;
  expect(offered).toBe(31);
});

test("no pause that the gateway names is longer than that half a minute", async () => {
  let offered = 0;
  const busy = async (): Promise<Line> => {
    offered++;
    throw new ProtocolError("busy", "", undefined, 86_400_000);
  };
  const gateway = new Gateway({ request: busy, notice: () => {} }, clock);
  const outcome = expect(gateway.put("628", {})).rejects.toMatchObject({ kind: "busy" });
  await clock.advance(30_000);
  expect(offered).toBe(2);
  await clock.advance(86_400_000); // So that a pause that is longer ends too.
  await outcome;
});

test("one device that floods leaves room for another", async () => {
  const limit = new RequestLimit(4, 10);
  for (let count = 0; count < 50; count++) {
    void limit.enter("loud");
  }
  let entered = false;
  void limit.enter("quiet").then(() => {
    entered = true;
  });
  await settle();
  expect(entered).toBe(true);
});

test("a free place goes to the devices in turn", async () => {
  const limit = new RequestLimit(1, 1);
  const order: string[] = [];
  await limit.enter("a");
  for (const device of ["a", "a", "b", "b"]) {
    void limit.enter(device).then(() => order.push(device));
  }
  for (const leaves of ["a", "a", "b", "a"]) {
    limit.leave(order.at(-1) ?? leaves);
    await settle();
  }
  expect(order).toEqual(["a", "b", "a", "b"]);
});

test("a text is shortened between characters", () => {
  expect(shortened("aé", 2)).toBe("a");
  expect(shortened("é", 2)).toBe("é");
});
