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

test("the cause of a failure goes to the log, and not into the answer", async () => {
  wire.give({ id: 1, op: "fault", device: "6281" });
  wire.give({ id: 2, op: "fail", device: "6281" });
  await settle();
  const said = wire.written.filter((line) => line["op"] === "log");
  expect(said).toEqual([
    { op: "log", level: "error", text: "fault failed: secret details", device: "6281" },
  ]);
  expect(JSON.stringify(wire.written.filter((line) => "id" in line))).not.toContain("secret");
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
  expect(wire.written.filter((line) => "ok" in line)).toHaveLength(3);
  expect(wire.written).toContainEqual({ id: 1, ok: true, result: { op: "ping" } });
  const details = "Perangkat tidak terhubung";
  const error = { kind: "device_down", details, platform_code: "440", retry_after_ms: 5 };
  expect(wire.written).toContainEqual({ id: 2, ok: false, error });
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

/// A gateway whose requests are answered by the test.
function asked() {
  const requests: { fields: Line; answer: (error?: ProtocolError) => void }[] = [];
  const request = (_op: string, fields: Line = {}): Promise<Line> =>
    new Promise((resolve, reject) => {
      const answer = (error?: ProtocolError): void => (error ? reject(error) : resolve({}));
      requests.push({ fields, answer });
    });
  const gateway = new Gateway({ request, notice: () => {} }, clock);
  return { gateway, requests, states: () => requests.map(({ fields }) => fields["state"]) };
}

test("states are reported in order, and of those that came too early the newest", async () => {
  const { gateway, requests, states } = asked();
  void gateway.state("628", "reconnecting", "a");
  void gateway.state("628", "connected");
  await settle();
  expect(states()).toEqual(["reconnecting"]);
  requests[0]!.answer();
  await settle();
  expect(states()).toEqual(["reconnecting", "connected"]);
  requests[1]!.answer(new ProtocolError("busy", "", undefined, 1_000));
  void gateway.state("628", "reconnecting", "b");
  void gateway.state("628", "pairing", "c");
  const last = gateway.state("628", "connected");
  await clock.advance(1_000);
  expect(states()).toEqual(["reconnecting", "connected", "connected"]);
  requests[2]!.answer();
  await last;
  expect(requests).toHaveLength(3);
});

test("a state is repeated until the gateway is free", async () => {
  const { gateway, requests } = asked();
  const stored = gateway.state("628", "connected");
  for (let minute = 0; minute < 10; minute++) {
    await settle();
    requests.at(-1)!.answer(new ProtocolError("busy", "", undefined, 60_000));
    await clock.advance(60_000);
  }
  requests.at(-1)!.answer();
  await stored;
  expect(requests).toHaveLength(11);
});

test("what was asked with an earlier generation is asked again after a new start", async () => {
  const { gateway, requests } = asked();
  let over = 0;
  const run = { generation: 1, over: () => over++ };
  const put = gateway.forRun(run).put("628", {});
  await settle();
  run.generation = 2;
  requests[0]!.answer(new ProtocolError("stale"));
  await settle();
  expect(requests.map(({ fields }) => fields["generation"])).toEqual([1, 2]);
  expect(over).toBe(0);
  requests[1]!.answer(new ProtocolError("stale"));
  await expect(put).rejects.toMatchObject({ kind: "stale" });
  expect(over).toBe(1);
});

test("while the gateway does not read, requests wait and log lines are left out", async () => {
  const taken: Line[] = [];
  const read: (() => void)[] = []; // Reads what was written last.
  const full = new Duplex({
    read() {},
    write(chunk: Buffer, _encoding, done) {
      read.push(() => {
        taken.push(...new LineReader().push(chunk));
        done();
      });
    },
  });
  const slow = new Peer(full, clock, async () => ({}), () => {});
  const long = { text: "x".repeat(900_000) };
  for (let count = 0; count < 30; count++) {
    slow.request("message.in", { device: `628${count}`, ...long }).catch(() => {});
  }
  await settle();
  slow.notice("log", long);
  expect(full.writableLength).toBeGreaterThan(4_000_000);
  expect(full.writableLength).toBeLessThan(6_000_000);
  while (read.length > 0) {
    read.shift()!();
    await settle();
  }
  expect(taken.map((line) => line["op"])).toEqual(Array(30).fill("message.in"));
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
