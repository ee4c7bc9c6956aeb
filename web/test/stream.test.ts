import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type LiveEvent, Stream } from "../src/live/stream.ts";

/** A browser's EventSource, opened and broken by the test. */
class Source extends EventTarget {
  static readonly CLOSED = 2;
  static all: Source[] = [];
  readyState = 0;
  onopen: (() => void) | null = null;
  onerror: (() => void) | null = null;
  readonly url: string;

  constructor(url: string) {
    super();
    this.url = url;
    Source.all.push(this);
  }

  close() {
    this.readyState = Source.CLOSED;
  }

  say(type: string, data: string) {
    this.dispatchEvent(new MessageEvent(type, { data }));
  }
}

let states: boolean[] = [];
let events: LiveEvent[] = [];

function start(): Stream {
  const listener = {
    onState: (live: boolean) => void states.push(live),
    onEvent: (event: LiveEvent) => void events.push(event),
  };
  const stream = new Stream("acc_1", listener);
  stream.start();
  return stream;
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("EventSource", Source);
  vi.stubGlobal("BroadcastChannel", undefined);
  Source.all = [];
  states = [];
  events = [];
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("it is live while the stream is open, and passes its events on", () => {
  const stream = start();
  const [source] = Source.all;
  expect(source?.url).toBe("/v1/events?account=acc_1");
  source?.onopen?.();
  source?.say("message.updated", '{"id":"1"}');
  source?.say("device.state", "no JSON");
  source?.onerror?.(); // The browser connects again by itself.
  expect(states).toEqual([true, false]);
  source?.onopen?.();
  expect(events).toEqual([
    { type: "begin", data: null }, // What happened before it was opened, nobody tells.
    { type: "message.updated", data: { id: "1" } },
    { type: "device.state", data: null },
  ]);
  stream.stop();
});

test("after an answer that is no stream it asks again, half a minute later", async () => {
  const stream = start();
  const [source] = Source.all;
  source?.close();
  source?.onerror?.();
  await vi.advanceTimersByTimeAsync(29_000);
  expect(Source.all).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(Source.all).toHaveLength(2);
  Source.all[1]?.onopen?.();
  expect(events).toEqual([{ type: "resync", data: null }]); // The page was read long before.
  stream.stop();
});

test("one that is stopped closes its stream, and asks no more", async () => {
  const stream = start();
  stream.stop();
  expect(Source.all[0]?.readyState).toBe(Source.CLOSED);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(Source.all).toHaveLength(1);
});
