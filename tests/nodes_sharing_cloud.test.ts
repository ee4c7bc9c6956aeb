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
const verifyToken = randomBytes(12).toString("hex");

let server: PostgresServer;
let graph: Graph;
let sink: Sink;
let cluster: Cluster;
let shops: { account: Shop["account"]; number: BusinessNumber }[]; // Of each node one.

beforeAll(async () => {
  [server, sink] = await Promise.all([PostgresServer.open(), Sink.open({ secure: false })]);
  graph = await Graph.start();
  const folder = scratchFolder("nodes-cloud");
  const write = (name: string, content: string) => {
    writeFileSync(join(folder, name), `${content}\n`, { mode: 0o600 });
    return join(folder, name);
  };
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
    for (const secret of [graph.secret, verifyToken]) gateway.secrets.add(secret);
    const { account } = await cluster.shopAt(gateway, { devices: 0 });
    const number = graph.addNumber({ number: freshNumber() });
    gateway.secrets.add(number.token);
    const access = ["--phone-number-id", number.id, "--token-file", write(number.id, number.token)];
    const pace = ["--gap", "0s", "--jitter", "0s", "--per-day", "none", "--warm-up", "0"];
    const webhook = ["--webhook", sink.url(`/${number.digits}`)];
    const all = [...access, "--waba-id", number.waba, ...pace, ...webhook];
    await account.device(number.digits, "--connector", "cloud", ...all);
    shops.push({ account, number });
  }
  await graph.subscribe(`${cluster.gateways[0]!.url}${path}`, verifyToken);
}, long);
afterAll(async () => {
  await graph.end();
  await cluster.close();
  await sink.close();
  await server.close();
}, long);

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
          messaging_product: "whatsapp",
          metadata: { display_phone_number: number.digits, phone_number_id: number.id },
          messages: [
            {
              from: "6281234567890",
              id: `wamid.${freshNumber()}`,
              timestamp: now,
              type: "text",
              text: { body: text },
            },
          ],
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

const post = (gateway: Gateway, body: string, secret = graph.secret) =>
  gateway.request({
    method: "POST",
    path,
    headers: { "content-type": "application/json", "x-hub-signature-256": sign(body, secret) },
    body,
  });

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
