// What the official platform's answers and webhooks mean for a message.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Fault } from "./graph/errors.ts";
import type { BusinessNumber } from "./graph/number.ts";
import { Cloud } from "./support/cloud.ts";
import { freshNumber } from "./support/numbers.ts";
import { waitFor } from "./support/wait.ts";

let cloud: Cloud;

beforeAll(async () => {
  cloud = await Cloud.open({ account: { credits: 10_000 } });
});
afterAll(() => cloud.close());

const about = (parameter: string) => `Param ${parameter} is not valid.`;

/** Failures that end a message, with the code of the callback. */
const final: [fault: Fault, code: number][] = [
  [{ code: 131026 }, 1001],
  [{ code: 131021 }, 1002],
  [{ code: 100, details: about("to") }, 1002],
  [{ code: 131009, details: about("to") }, 1002],
  [{ code: 131053 }, 1003],
  [{ code: 131051 }, 1003],
  [{ code: 100, details: about("text") }, 500],
  [{ code: 131009, details: about("text") }, 500],
  ...[130472, 130497, 131008, 131030, 131037, 131042, 131045, 131047, 131049].map(plainly),
  ...[131050, 131052, 131062, 131063, 131064, 132000, 132001, 132005, 132015].map(plainly),
  [{ code: 987654, title: "Something new" }, 500],
];
function plainly(code: number): [Fault, number] {
  return [{ code, status: 400 }, 500];
}

describe.each(["answer", "webhook", "both"])("a failure by %s", (by) => {
  test.concurrent.each(final)("%j is told as %d", async (fault, code) => {
    const to = freshNumber();
    cloud.graph.scripts.add({
      to,
      ...(by !== "webhook" && { refuse: fault }),
      ...(by !== "answer" && { report: fault }),
    });
    const sent = await cloud.send(to);
    const told = await cloud.end(sent);
    expect(told).toMatchObject({ requestId: sent.id, status: "failed", code });
    expect(told.details).toMatch(new RegExp(`^${fault.code} .+`));
    if (fault.details) expect(told.details).toContain(`: ${fault.details}`);
    expect(Buffer.byteLength(told.details)).toBeLessThanOrEqual(256);
    await cloud.graph.webhooks.settled();
    expect(cloud.graph.to(to)).toHaveLength(1); // Nothing was tried again.
    expect(cloud.ends(sent)).toBe(1);
  });
});

/** Failures that pass; the platform says when to come again, to keep the tests short. */
const passing: Fault[] = [
  ...[1, 2, 131000, 131016, 131048, 131057].map((code) => ({ code, retryAfter: 1 })),
  { code: 131049, status: 503 },
  { code: 987654, status: 500 },
];
const holding: Fault[] = [
  ...[4, 80007, 130429].map((code) => ({ code, retryAfter: 1 })),
  { code: 987654, status: 429, retryAfter: 1 },
];

test.concurrent.each(passing)("%j at once passes, and the message is sent", async (fault) => {
  const to = freshNumber();
  cloud.graph.scripts.add({ to, refuse: fault, times: 2 });
  const sent = await cloud.send(to);
  expect(await cloud.end(sent)).toMatchObject({ status: "sent", code: 200 });
  expect(cloud.graph.to(to).map(({ failed }) => failed)).toEqual([true, true, false]);
  expect(cloud.ends(sent)).toBe(1);
});

test.concurrent.each([1, 2, 131000, 131016, 131057])(
  "%d by webhook passes as well",
  async (code) => {
    const to = freshNumber();
    cloud.graph.scripts.add({ to, report: { code } });
    const sent = await cloud.send(to);
    expect(await cloud.end(sent)).toMatchObject({ status: "sent", code: 200 });
    expect(cloud.graph.to(to).map(({ failed }) => failed)).toEqual([true, false]);
    expect(cloud.ends(sent)).toBe(1);
  },
);

test.concurrent.each(holding)(
  "%j holds the number, fails nothing, and costs nothing",
  async (fault) => {
    const number = await cloud.connect();
    const throttled = { from: number.digits, refuse: fault, times: 3 };
    cloud.graph.scripts.add(throttled);
    const sent = await Promise.all([1, 2, 3].map(() => cloud.send(undefined, number)));
    const other = await cloud.outcome(); // Another number is not held.
    expect(other).toMatchObject({ code: 200 });
    for (const each of sent) {
      expect(await cloud.end(each)).toMatchObject({ status: "sent", code: 200 });
      expect(cloud.ends(each)).toBe(1);
    }
  },
);

test.concurrent("a number waits as long as Retry-After says", async () => {
  const number = await cloud.connect();
  const refuse = { code: 130429, retryAfter: 3 };
  cloud.graph.scripts.add({ from: number.digits, refuse });
  const begun = Date.now();
  const sent = await cloud.send(undefined, number);
  expect(await cloud.end(sent)).toMatchObject({ code: 200 });
  const [, taken] = cloud.graph.of(sent.message);
  expect(taken!.at - begun).toBeGreaterThanOrEqual(2_900);
});

test("131056 holds this recipient alone", async () => {
  const to = freshNumber();
  cloud.graph.scripts.add({ to, refuse: { code: 131056, retryAfter: 2 } });
  const held = await cloud.send(to);
  const [refused] = await cloud.taken(held.message);
  expect(await cloud.outcome()).toMatchObject({ code: 200 });
  expect(cloud.ends(held)).toBe(0);
  expect(await cloud.end(held)).toMatchObject({ status: "sent", code: 200 });
  const again = cloud.graph.of(held.message).at(-1)!;
  expect(again.at - refused!.at).toBeGreaterThanOrEqual(1_900);
  expect(cloud.ends(held)).toBe(1);
});

test("131056 and 131048 by webhook fail nothing, and hold no other recipient", async () => {
  for (const code of [131056, 131048]) {
    const to = freshNumber();
    cloud.graph.scripts.add({ to, report: { code } });
    const held = await cloud.send(to);
    await cloud.taken(held.message);
    await cloud.graph.webhooks.settled();
    expect(await cloud.outcome()).toMatchObject({ code: 200 });
    expect(cloud.ends(held)).toBe(0);
    expect(["pending", "handed_over"]).toContain(await cloud.state(held.id));
    await cloud.gateway.json("message", "cancel", held.id);
  }
});

test.concurrent.each([4, 80007, 130429])(
  "%d by webhook holds the number, and fails nothing",
  async (code) => {
    const number = await cloud.connect();
    cloud.graph.scripts.add({ from: number.digits, report: { code } });
    const sent = await cloud.send(undefined, number);
    expect(await cloud.end(sent)).toMatchObject({ status: "sent", code: 200 });
    expect(cloud.graph.of(sent.message).map(({ failed }) => failed)).toEqual([true, false]);
    expect(cloud.ends(sent)).toBe(1);
  },
);

test("a number sends at most 80 messages a second", async () => {
  const number = await cloud.connect();
  const sent = await Promise.all(Array.from({ length: 120 }, () => cloud.send(undefined, number)));
  await Promise.all(sent.map((each) => cloud.end(each)));
  const at = cloud.graph.taken.filter(({ from }) => from === number.digits).map((each) => each.at);
  expect(at).toHaveLength(120);
  // The first one may have arrived late.
  expect(at.at(-1)! - at[0]!).toBeGreaterThanOrEqual((119 / 80) * 1_000 - 400);
});

test.concurrent("one recipient gets 45 messages at once, then one every 6 seconds", async () => {
  const number = await cloud.connect();
  const to = freshNumber();
  const sent = await Promise.all(Array.from({ length: 46 }, () => cloud.send(to, number)));
  const other = await cloud.outcome(undefined, number);
  expect(other).toMatchObject({ code: 200 });
  for (const each of sent) expect(await cloud.end(each)).toMatchObject({ code: 200 });
  const at = cloud.graph.to(to).map((each) => each.at);
  expect(at).toHaveLength(46);
  expect(at[44]! - at[0]!).toBeLessThan(5_500);
  expect(at[45]! - at[0]!).toBeGreaterThanOrEqual(5_500);
});

test.concurrent("what passes is given up when it is time, and not before", async () => {
  const short = await Cloud.open({ settings: { "scheduler.give_up": "3s" } });
  short.graph.scripts.add({ refuse: { code: 131016 }, times: 1000 });
  const begun = Date.now();
  const sent = await short.send();
  expect(await short.end(sent)).toMatchObject({ status: "failed", code: 500 });
  expect(Date.now() - begun).toBeGreaterThanOrEqual(2_900);
  await short.close();
});

const ending: Fault[] = [
  ...[0, 3, 10, 190, 200, 299, 131005, 133010].map((code) => ({ code })),
  { code: 190, subcode: 463 },
];

describe.each(["answer", "webhook"])("a refusal of the number by %s", (by) => {
  test.concurrent.each([...ending, { code: 100, subcode: 33 }])(
    "%j disconnects it",
    async (fault) => {
      const number = await cloud.connect();
      const own = { ...fault };
      if (fault.code === 100) own.details = `Object with ID '${number.id}' does not exist.`;
      await disconnects(number, own, by, `${fault.code} `);
    },
  );
  test.concurrent.each([368, 131031])("%d disconnects it as restricted", async (code) => {
    const number = await cloud.connect();
    await disconnects(number, { code }, by, "restricts this account");
  });
});

async function disconnects(number: BusinessNumber, fault: Fault, by: string, reason: string) {
  const { digits: from } = number;
  cloud.graph.scripts.add({ from, ...(by === "answer" ? { refuse: fault } : { report: fault }) });
  const sent = await cloud.send(undefined, number);
  const device = await cloud.untilDevice(number, "disconnected");
  expect(device.state_reason).toContain(reason);
  const later = await cloud.account.send({
    to: freshNumber(),
    from,
    message: "kenari",
    Type: "text",
  });
  expect(later.status).toBe(503);
  await waitFor("it to wait", async () => (await cloud.state(sent.id)) === "pending");
  await cloud.gateway.json("device", "connect", from);
  expect(await cloud.end(sent)).toMatchObject({ status: "sent", code: 200 });
  expect(cloud.ends(sent)).toBe(1);
}

test("an answer that is not the platform's is tried again", async () => {
  const to = freshNumber();
  cloud.graph.scripts.add({ to, raw: { status: 502, body: "<html>Bad Gateway</html>" } });
  expect(await cloud.outcome(to)).toMatchObject({ status: "sent", code: 200 });
});

test("a token in an error text is in no callback and no log", async () => {
  const number = await cloud.connect();
  const details = `Malformed access token ${number.token} in the request`;
  cloud.graph.scripts.add({ from: number.digits, refuse: { code: 131049, details } });
  const told = await cloud.outcome(undefined, number);
  expect(told).toMatchObject({ status: "failed", code: 500 });
  expect(JSON.stringify(told)).not.toContain(number.token);
});

test("a failed message gives its credit back, a sent one does not", async () => {
  const credit = async () => (await cloud.gateway.json("account", "show", cloud.account.id)).credit;
  const before = await credit();
  const to = freshNumber();
  cloud.graph.scripts.add({ to, report: { code: 131026 } });
  await cloud.outcome(to);
  expect(await credit()).toBe(before);
  await cloud.outcome();
  expect(await credit()).toBe(before - 1);
});
