// Several servers on one database, of which one has just joined and works for nothing yet: it
// answers everything all the same, by passing it on. nodes_sharing.test.ts has servers that both
// work.
import { writeFileSync } from "node:fs";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Account, shop } from "./support/account.ts";
import { Cluster, lease, listens, servedBy, states } from "./support/cluster.ts";
import { expectAccepted, expectRefused, expectSent, rows } from "./support/expect.ts";
import type { Gateway } from "./support/gateway.ts";
import { exchange } from "./support/http.ts";
import { freshNumber, freshText } from "./support/numbers.ts";
import { person, PersonClient } from "./support/people.ts";
import { PostgresServer } from "./support/postgres.ts";
import { pause, waitFor } from "./support/wait.ts";

let server: PostgresServer;
beforeAll(async () => {
  server = await PostgresServer.open();
});
afterAll(() => server.close());

const bodyFor = ({ devices }: Cluster) => {
  return { to: freshNumber(), from: devices[0]!, message: freshText(), Type: "text" };
};

const ask = (
  gateway: Gateway,
  account: Account,
  method: string,
  path: string,
  body?: string,
  headers = {},
) =>
  exchange({
    method,
    url: gateway.url + path,
    headers: { authorization: `Bearer ${account.key}`, ...headers },
    body,
    deadline: 40_000,
  });

async function metric(gateway: Gateway, name: string): Promise<number> {
  const { text } = await exchange({ method: "GET", url: `${gateway.url}/metrics` });
  const line = text.split("\n").find((one) => one.startsWith(`${name} `));
  return Number(line?.slice(name.length + 1) ?? Number.NaN);
}

describe("two servers", () => {
  let cluster: Cluster;
  let first: Gateway;
  let second: Gateway;
  let account: Account;
  let other: Account; // The same account by way of the second, which has no part for a minute.
  const body = () => bodyFor(cluster);

  beforeEach(async () => {
    cluster = await Cluster.open(server, {
      nodes: ["node-1", "node-2"],
      scopes: "send,messages:read,campaigns:read,campaigns:manage",
      settings: { ...listens, "api.revision_b.wait": "5s" },
    });
    [first, second] = cluster.gateways as [Gateway, Gateway];
    [account, other] = [cluster.accountAt(first), cluster.accountAt(second)];
  });
  afterEach(() => cluster.close());

  test("both answer, one works, and both know each other's address", async () => {
    const accepted = await other.send(body());
    const id = expectAccepted(accepted);
    await waitFor("the message", () => first.simulator.all().length === 1);
    expect(second.simulator.all()).toEqual([]);
    const shown = await ask(second, account, "GET", `/v1/messages/${id}`);
    expect(shown.status, shown.text).toBe(200);
    expect(JSON.parse(shown.text).id).toBe(id);
    expect((await ask(first, account, "GET", `/v1/messages/${id}`)).text).toBe(shown.text);
    const nodes = await first.json("node", "list");
    expect(nodes.map((node: any) => node.address)).toEqual([
      expect.stringMatching(/^127\.0\.0\.1:[1-9]/),
      expect.stringMatching(/^127\.0\.0\.1:[1-9]/),
    ]);
    expect(await metric(first, "merpati_node_accounts")).toBe(1);
    expect(await metric(second, "merpati_node_accounts")).toBe(0);
    expect(await metric(first, "merpati_forwarded_requests_total")).toBeLessThan(10);
    expect(await metric(second, "merpati_forwarded_requests_total")).toBeGreaterThan(1);
  });

  test("refusals are those of the server that works", async () => {
    expectRefused(await other.send(body(), { key: "merpati_wrong" }), rows.key);
    expectRefused(await other.send("{"), rows.json);
    const large = await other.send("x".repeat(100_000));
    expect(large.status).toBe(413);
    expect(large.json.message).toBe("Permintaan terlalu besar");
    const missing = await ask(second, account, "GET", "/v1/nothing");
    expect(missing.status).toBe(404);
    const wrong = await ask(second, account, "DELETE", "/v1/send");
    expect(wrong.status).toBe(405);
    expect(wrong.headers["allow"]).toBe("POST");
  });

  test("devices are added, and messages sent in bulk, by way of either", async () => {
    const number = freshNumber();
    const added = await other.addDevice({ device: number });
    expect(added.status, added.text).toBe(200);
    const bulk = await ask(
      second,
      account,
      "POST",
      "/v1/messages/bulk",
      JSON.stringify({ messages: Array.from({ length: 1_000 }, body) }),
      { "content-type": "application/json" },
    );
    expect(bulk.status, bulk.text.slice(0, 300)).toBe(200);
    expect(JSON.parse(bulk.text)).toMatchObject({ accepted: 1_000, refused: 0 });
  });

  test("the outcome of a send of revision B comes by way of the other", async () => {
    const reply = await other.send({ ...body(), pesan: freshText() }, {
      headers: { "X-Api-Revision": "B" },
    });
    expectSent(reply);
  });

  test("a repeat by way of the other gets the first answer", async () => {
    const sent = body();
    const headers = { "Idempotency-Key": "pesanan-1" };
    const answer = await account.send(sent, { headers });
    expectAccepted(answer);
    expect((await other.send(sent, { headers })).text).toBe(answer.text);
    expectRefused(await other.send(body(), { headers }), rows.reused);
  });

  test("messages are sent in the order in which either accepted them", async () => {
    const texts: string[] = [];
    for (let count = 0; count < 40; count += 1) {
      const one = body();
      texts.push(one.message);
      expectAccepted(await (count % 2 === 0 ? account : other).send(one));
    }
    await waitFor("all messages", () => cluster.attempts().length >= texts.length);
    expect(cluster.attempts().map((attempt) => attempt.body)).toEqual(texts);
  });

  test("an account's rate is one, whichever is asked", async () => {
    const { account: slow, device: from } = await shop(first, { rate: "5/min" });
    const way = [slow, servedBy(second, slow)];
    const answers = [];
    for (let count = 0; count < 8; count += 1) {
      answers.push((await way[count % 2]!.send({ ...body(), from })).status);
    }
    expect(answers).toEqual([200, 200, 200, 200, 200, 429, 429, 429]);
  });

  test("events are streamed by way of the other", async () => {
    let text = "";
    const stream = await new Promise<IncomingMessage>((resolve, reject) => {
      const asked = httpRequest(
        `${second.url}/v1/events`,
        { headers: { authorization: `Bearer ${account.key}` } },
        resolve,
      );
      asked.on("error", reject).end();
    });
    stream.setEncoding("utf8").on("data", (piece: string) => (text += piece));
    stream.on("error", () => (text += "broken"));
    expect(stream.headers["content-type"]).toBe("text/event-stream");
    await waitFor("the stream to begin", () => text.includes("id: "));
    const id = expectAccepted(await account.send(body()));
    await waitFor("the event", () => text.includes(id));
    stream.destroy();
  });

  test("a long list goes up and down by way of the other, in pieces", async () => {
    const count = 4_000;
    const list = Array.from({ length: count }, (_, row) => `62811${1_000_000 + row},Orang ${row}`);
    const csv = `nomor,nama\n${list.join("\n")}\n`;
    expect(csv.length).toBeGreaterThan(80_000);
    const imported = await ask(second, account, "POST", "/v1/contacts/import", csv, {
      "content-type": "text/csv",
    });
    expect(imported.status, imported.text.slice(0, 300)).toBe(200);
    const exported = await ask(second, account, "GET", "/v1/contacts/export");
    expect(exported.status, exported.text.slice(0, 300)).toBe(200);
    const direct = await ask(first, account, "GET", "/v1/contacts/export");
    expect(exported.text.length).toBeGreaterThan(80_000);
    expect(exported.text).toBe(direct.text);
  });

  test("commands work on the machine of either", async () => {
    const made = await second.json("account", "create", "warung");
    const names = (await first.json("account", "list")).map((one: any) => one.id);
    expect(names).toContain(made.id);
    expect(await states(second)).toEqual({ "node-1": ["up", 2], "node-2": ["up", 0] });
  });

  test("people who signed in by way of one are known by way of the other", async () => {
    const who = await person(second, "ani@example.com", "--admin");
    const client = await PersonClient.signedIn(second, who);
    const elsewhere = new PersonClient(first);
    elsewhere.cookie = client.cookie;
    const session = await elsewhere.ask("GET", "/session");
    expect(session.status, session.text).toBe(200);
    expect((await client.ask("GET", "/admin/nodes")).json.items).toHaveLength(2);
    expect((await elsewhere.ask("DELETE", "/session")).status).toBe(200);
    expect((await client.ask("GET", "/session")).status).toBe(401);
    const page = await exchange({ method: "GET", url: `${second.url}/app/` });
    expect(page.status).toBe(200);
  });

  test("nobody else gets anything from the servers' own address", async () => {
    const nodes = await first.json("node", "list");
    for (const { address } of nodes) {
      const answer = await ask(
        { url: `http://${address}` } as Gateway,
        account,
        "GET",
        "/v1/account",
        undefined,
        { "merpati-caller": "local loopback socket", "merpati-proof": "0".repeat(64) },
      );
      expect(answer.status).toBe(421);
      expect(answer.text).toBe("");
    }
  });

  test("a stopped server's requests are answered by the other within two seconds", async () => {
    const times: number[] = [];
    const sent: string[] = [];
    let stop = false;
    const sending = (async () => {
      while (!stop) {
        const began = performance.now();
        const one = body();
        const reply = await other.send(one, { deadline: 20_000 });
        times.push(performance.now() - began);
        expectAccepted(reply);
        sent.push(one.message);
        await pause(5);
      }
    })();
    await waitFor("some messages", () => sent.length > 20);
    expect(await first.stop()).toBe(0);
    const before = sent.length;
    await waitFor("messages that the second accepts itself", () => sent.length > before + 20);
    stop = true;
    await sending;
    expect(Math.max(...times)).toBeLessThan(lease);
    expect(await states(second)).toEqual({ "node-1": ["gone", 0], "node-2": ["up", 1] });
    await waitFor("all messages", () => {
      const bodies = new Set(cluster.attempts().map((attempt) => attempt.body));
      return sent.every((text) => bodies.has(text));
    });
    expect(new Set(cluster.attempts().map((attempt) => attempt.body)).size).toBe(
      cluster.attempts().length,
    );
  });

  test("a killed server's requests wait, and are answered by the other", async () => {
    await first.kill();
    const began = performance.now();
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => other.send(body(), { deadline: 20_000 })),
    );
    replies.forEach((reply) => expectAccepted(reply));
    expect(performance.now() - began).toBeLessThan(lease); // Its machine says that it is gone.
    expect(await states(second)).toEqual({ "node-1": ["gone", 0], "node-2": ["up", 1] });
    // The one that was killed comes back, and passes on.
    await first.start();
    expectAccepted(await account.send(body()));
    expect(await states(first)).toEqual({ "node-1": ["up", 0], "node-2": ["up", 1] });
  });

  test("a question that a frozen server has is asked of the one that follows", async () => {
    expectAccepted(await other.send(body()));
    process.kill(first.pid, "SIGSTOP");
    const [list, send] = await Promise.all([
      ask(second, account, "GET", "/v1/messages"),
      exchange({
        method: "POST",
        url: `${second.url}/v1/send`,
        headers: { authorization: `Bearer ${account.key}` },
        body: JSON.stringify(body()),
      }),
    ]);
    expect(list.status, list.text).toBe(200);
    expect(send.status, send.text).toBe(502); // Whether the frozen one had it is not known.
    expectAccepted(await other.send(body()));
    process.kill(first.pid, "SIGCONT");
    expect(await first.exitCode()).toBe(75);
  });
});

describe("three servers", () => {
  test("when the one that works is killed, both others go on answering", async () => {
    const nodes = ["node-1", "node-2", "node-3"];
    const cluster = await Cluster.open(server, { nodes, settings: listens });
    const [first, ...others] = cluster.gateways as [Gateway, Gateway, Gateway];
    const left = others.map((node) => cluster.accountAt(node));
    const body = () => bodyFor(cluster);
    for (const way of left) expectAccepted(await way.send(body()));
    await first.kill();
    const replies = await Promise.all(left.map((way) => way.send(body(), { deadline: 20_000 })));
    replies.forEach((reply) => expectAccepted(reply));
    const after = Object.values(await states(others[0]!));
    expect(after.filter(([state]) => state === "up")).toHaveLength(2);
    expect(after.map(([, accounts]) => accounts).sort()).toEqual([0, 0, 1]);
    await waitFor("all messages", () => cluster.attempts().length >= 4);
    await cluster.close();
  });
});

describe("a server that is left", () => {
  test("answers 503 after 15 s for accounts that nobody works for, and is ready", async () => {
    const settings = { ...listens, "cluster.lease": "1m" };
    const cluster = await Cluster.open(server, { nodes: ["node-1"], settings });
    const first = cluster.gateways[0]!;
    const second = await cluster.add("node-2");
    await first.kill(); // The second has never reached it, so only the lease says that it is gone.
    const account = cluster.accountAt(second);
    const began = performance.now();
    const reply = await account.send(bodyFor(cluster), { deadline: 25_000 });
    expect(reply.status).toBe(503);
    expect(Number(reply.headers["retry-after"])).toBeGreaterThan(0);
    expect(performance.now() - began).toBeGreaterThan(14_500);
    // A proxy that asks may send it what is for others.
    for (const path of ["/healthz", "/readyz"]) {
      expect((await exchange({ method: "GET", url: `${second.url}${path}` })).status).toBe(200);
    }
    await cluster.close();
  });

  test("says when it does not share the others' secret", async () => {
    const cluster = await Cluster.open(server, { nodes: ["node-1"], settings: listens });
    const second = await cluster.create("node-2");
    const secret = join(second.folder, "other.key");
    writeFileSync(secret, "a secret of one server alone");
    second.configure({ "cluster.key_file": secret });
    await cluster.start(second);
    const account = cluster.accountAt(second);
    expect((await account.send(bodyFor(cluster), { deadline: 25_000 })).status).toBe(503);
    expect(second.log).toContain("do both have copies of one cluster.key_file?");
    await cluster.close();
  });
});
