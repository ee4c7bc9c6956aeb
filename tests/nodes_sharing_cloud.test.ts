// The webhook of the official platform, which knows one address, and nodes that share the accounts:
// whatever node gets a post, each part of it reaches the node that works for its number.
import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Graph } from "./graph/graph.ts";
import type { BusinessNumber } from "./graph/number.ts";
import { sign } from "./graph/webhooks.ts";
import { sendText, type Sent } from "./support/callback_shop.ts";
import { Cluster, lease, servedBy, type Shop } from "./support/cluster.ts";
import type { Gateway } from "./support/gateway.ts";
import { freshNumber, freshText } from "./support/numbers.ts";
import { PostgresServer } from "./support/postgres.ts";
import { scratchFolder } from "./support/scratch.ts";
import { Sink } from "./support/sink.ts";
import { pause, waitFor } from "./support/wait.ts";

const long = 120_000;
const path = "/v1/platform/cloud";
const bodyMax = 3_145_728;
const verifyToken = randomBytes(12).toString("hex");
const ownSecret = randomBytes(16).toString("hex"); // Of the app of one device.

let server: PostgresServer;
let graph: Graph;
let sink: Sink;
let cluster: Cluster;
let shops: { account: Shop["account"]; number: BusinessNumber }[]; // Of each node one.
let ownNumber: BusinessNumber; // Of the second node, with a secret of its own.
let folder: string;

beforeAll(async () => {
  [server, sink] = await Promise.all([PostgresServer.open(), Sink.open({ secure: false })]);
  graph = await Graph.start();
  folder = scratchFolder("nodes-cloud");
  cluster = await Cluster.share(server, {
    nodes: ["node-1", "node-2"],
    settings: {
      "cloud.url": graph.url,
      "cloud.status_wait": "60s",
      "cloud.verify_token": verifyToken,
      "cloud.app_secret_file": write("app_secret", graph.secret),
      "outbound.allow_http_callbacks": true,
    },
  });
  shops = [];
  for (const gateway of cluster.gateways) {
    for (const secret of [graph.secret, verifyToken, ownSecret]) gateway.secrets.add(secret);
    const { account } = await cluster.shopAt(gateway, { devices: 0 });
    shops.push({ account, number: await addNumber(account) });
  }
  ownNumber = await addNumber(shops[1]!.account, "--app-secret-file", write("own", ownSecret));
  await graph.subscribe(`${cluster.gateways[0]!.url}${path}`, verifyToken);
}, long);
afterAll(async () => {
  await graph.end();
  await cluster.close();
  await sink.close();
  await server.close();
}, long);

function write(name: string, content: string): string {
  writeFileSync(join(folder, name), `${content}\n`, { mode: 0o600 });
  return join(folder, name);
}

async function addNumber(account: Shop["account"], ...flags: string[]): Promise<BusinessNumber> {
  const number = graph.addNumber({ number: freshNumber() });
  for (const gateway of cluster.gateways) gateway.secrets.add(number.token);
  const access = ["--phone-number-id", number.id, "--token-file", write(number.id, number.token)];
  const pace = ["--gap", "0s", "--jitter", "0s", "--per-day", "none", "--warm-up", "0"];
  const webhook = ["--webhook", sink.url(`/${number.digits}`)];
  const all = [...access, "--waba-id", number.waba, ...pace, ...webhook, ...flags];
  await account.device(number.digits, "--connector", "cloud", ...all);
  return number;
}

/** A message of each account, that waits for its status. */
async function waiting(by: Gateway): Promise<Sent[]> {
  const all: Sent[] = [];
  for (const { account, number } of shops) {
    const to = freshNumber();
    graph.scripts.add({ to, statuses: [] });
    const sent = await sendText(sink, servedBy(by, account), number.digits, to);
    await waitFor("the message to be handed over", async () => {
      return (await by.json("message", "show", sent.id)).state === "handed_over";
    });
    all.push(sent);
  }
  return all;
}

/** One post about the messages of both accounts, and about one that comes in for each. */
function postAbout(sent: Sent[], text: string): string {
  const now = String(Math.floor(Date.now() / 1_000));
  const entry = shops.map(({ number }, index) => ({
    id: number.waba,
    changes: [
      {
        field: "messages",
        value: {
          ...inbound(number, text),
          statuses: [
            {
              id: graph.of(sent[index]!.message)[0]!.id,
              status: "failed",
              timestamp: now,
              recipient_id: "6281234567890",
              errors: [{ code: 131026, title: "Message undeliverable" }],
            },
          ],
        },
      },
    ],
  }));
  return JSON.stringify({ object: "whatsapp_business_account", entry });
}

/** One post about a text that comes in. */
const postInbound = (number: BusinessNumber, text: string) =>
  JSON.stringify({
    object: "whatsapp_business_account",
    entry: [{ id: number.waba, changes: [{ field: "messages", value: inbound(number, text) }] }],
  });

const inbound = (number: BusinessNumber, text: string) => ({
  messaging_product: "whatsapp",
  metadata: { display_phone_number: number.digits, phone_number_id: number.id },
  messages: [
    {
      from: "6281234567890",
      id: `wamid.${freshNumber()}`,
      timestamp: String(Math.floor(Date.now() / 1_000)),
      type: "text",
      text: { body: text },
    },
  ],
});

const post = (gateway: Gateway, body: string | Buffer, secret = graph.secret, from?: string) =>
  gateway.request({
    method: "POST",
    path,
    headers: { "content-type": "application/json", "x-hub-signature-256": sign(body, secret) },
    body,
    from,
  });

async function passedOn(gateway: Gateway): Promise<number> {
  const { text } = await gateway.request({ method: "GET", path: "/metrics" });
  return Number(/^merpati_forwarded_requests_total (\d+)$/m.exec(text)![1]);
}

/** How often a device's webhook was told of a text that came in. */
const told = (number: BusinessNumber, text: string) =>
  sink
    .at(`/${number.digits}`)
    .filter(({ json }) => json.event === "message.received" && json.data.text === text).length;

describe.each([
  { asked: "the first", index: 0 },
  { asked: "the second", index: 1 },
])("asked of $asked node", ({ index }) => {
  const node = () => cluster.gateways[index]!;

  test("the challenge is answered, and a wrong signature refused", async () => {
    await graph.subscribe(`${node().url}${path}`, verifyToken);
    expect((await post(node(), "{}", "salah")).status).toBe(401);
  });

  test("the platform's statuses end the messages of both accounts", async () => {
    await graph.subscribe(`${node().url}${path}`, verifyToken);
    for (const { account, number } of shops) {
      const sent = await sendText(sink, servedBy(node(), account), number.digits, freshNumber());
      const { json } = await sink.request(sent.path, 20_000);
      expect(json).toMatchObject({ requestId: sent.id, status: "sent", code: 200 });
    }
  });

  test("one post counts for the numbers of both, once, however often it comes", async () => {
    const sent = await waiting(node());
    const text = freshText("masuk");
    const body = postAbout(sent, text);
    for (let times = 0; times < 3; times += 1) expect((await post(node(), body)).status).toBe(200);
    expect((await post(cluster.gateways[1 - index]!, body)).status).toBe(200);
    for (const [place, one] of sent.entries()) {
      const { json } = await sink.request(one.path, 20_000);
      expect(json).toMatchObject({ requestId: one.id, status: "failed", code: 1001 });
      const { number } = shops[place]!;
      await waitFor("the text", () => told(number, text) > 0);
    }
    await pause(1_000); // In which a second one would come.
    for (const one of sent) expect(sink.at(one.path)).toHaveLength(1);
    for (const { number } of shops) expect(told(number, text)).toBe(1);
  }, long);
});

test("a secret that only one node knows verifies what any node is asked", async () => {
  for (const node of cluster.gateways) {
    const text = freshText("masuk");
    const body = postInbound(ownNumber, text);
    for (let times = 0; times < 2; times += 1) {
      expect((await post(node, body, ownSecret)).status).toBe(200);
    }
    await waitFor("the text", () => told(ownNumber, text) > 0);
    // It speaks for its own number alone.
    const stolen = freshText("curian");
    expect((await post(node, postInbound(shops[0]!.number, stolen), ownSecret)).status).toBe(200);
    await pause(500); // In which it would come.
    expect(told(ownNumber, text)).toBe(1);
    expect(told(shops[0]!.number, stolen)).toBe(0);
  }
}, long);

test("what nobody has signed goes to no other node", async () => {
  const [first] = cluster.gateways as [Gateway];
  const before = await passedOn(first);
  const body = Buffer.alloc(bodyMax, " ");
  const unsigned: Record<string, string>[] = [{}, { "x-hub-signature-256": "sha256=00" }];
  for (const headers of unsigned) {
    const { status } = await first.request({ method: "POST", path, headers, body });
    expect(status).toBe(401);
  }
  expect(await passedOn(first)).toBe(before);
  expect((await post(first, "{}")).status).toBe(200);
  expect(await passedOn(first)).toBe(before + 1); // Control: what is signed does.
});

test("strangers who sign wrongly keep neither callers nor the platform out", async () => {
  const [first] = cluster.gateways as [Gateway];
  const { account, number } = shops[1]!; // Of the other node.
  const large = Buffer.alloc(bodyMax, " ");
  const answers = new Set<number>();
  let flooding = true;
  const floods = Array.from({ length: 40 }, async (_, index) => {
    while (flooding) {
      const from = `127.0.0.${2 + (index % 8)}`;
      const body = index % 2 === 0 ? large : "{}";
      answers.add((await post(first, body, "salah", from).catch(() => ({ status: 0 }))).status);
    }
  });
  await waitFor("the flood", () => answers.size > 0);
  for (let count = 0; count < 20; count += 1) {
    await sendText(sink, servedBy(first, account), number.digits, freshNumber());
    const text = freshText("masuk");
    expect((await post(first, postInbound(number, text))).status).toBe(200);
    expect((await post(first, postInbound(ownNumber, text), ownSecret)).status).toBe(200);
    await waitFor("the texts", () => told(number, text) > 0 && told(ownNumber, text) > 0);
  }
  flooding = false;
  await Promise.all(floods);
  expect(answers.has(200)).toBe(false);
}, long);

test("a post of which a part finds nobody is not taken, and is when it is repeated", async () => {
  const [first, second] = cluster.gateways as [Gateway, Gateway];
  const sent = await waiting(first);
  const text = freshText("masuk");
  const body = postAbout(sent, text);
  process.kill(second.pid, "SIGSTOP");
  const began = performance.now();
  const answers: number[] = [];
  // As the platform does, which repeats a post until it is answered with 200.
  await waitFor("the post to be taken", async () => {
    const { status } = await post(first, body).catch(() => ({ status: 0 }));
    answers.push(status);
    return status === 200;
  }, 60_000);
  // The other node's part can be taken only after its lease.
  expect(performance.now() - began).toBeGreaterThan(lease / 2);
  for (const [place, one] of sent.entries()) {
    const { json } = await sink.request(one.path, 20_000);
    expect(json, `answers: ${answers}`).toMatchObject({ status: "failed", code: 1001 });
    await waitFor("the text", () => told(shops[place]!.number, text) > 0);
  }
  process.kill(second.pid, "SIGCONT");
  expect(await second.exitCode()).toBe(75);
  for (const { number } of shops) expect(told(number, text)).toBe(1);
  await cluster.start(second);
}, long);
