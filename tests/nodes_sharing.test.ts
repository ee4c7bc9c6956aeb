// Nodes that share the accounts of a database: each works for some of them, and whichever is asked,
// the answers are the same.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Campaigns } from "./support/campaigns.ts";
import { keyWith, SCOPES } from "./support/catalogue.ts";
import { Cluster, servedBy, type Shop, shardCount, states } from "./support/cluster.ts";
import type { Answer } from "./support/contract.ts";
import { expectAccepted, expectRefused, expectSent, rows } from "./support/expect.ts";
import type { Gateway } from "./support/gateway.ts";
import { exchange } from "./support/http.ts";
import { freshNumber, freshText } from "./support/numbers.ts";
import { person, PersonClient } from "./support/people.ts";
import { PostgresServer } from "./support/postgres.ts";
import { expectSigned } from "./support/signature.ts";
import { Sink } from "./support/sink.ts";
import { waitFor } from "./support/wait.ts";
import { Watcher } from "./support/watcher.ts";

const much = 120_000; // Milliseconds for a test with many commands, on a busy machine.

let server: PostgresServer;
let sink: Sink;
let cluster: Cluster;
let nodes: [Gateway, Gateway];
let shops: [Shop, Shop]; // Of each node one.

beforeAll(async () => {
  [server, sink] = await Promise.all([PostgresServer.open(), Sink.open({ secure: false })]);
  cluster = await Cluster.share(server, {
    nodes: ["node-1", "node-2"],
    settings: { "api.revision_b.wait": "10s", "outbound.allow_http_callbacks": true },
  });
  nodes = cluster.gateways as [Gateway, Gateway];
  shops = [await cluster.shopAt(nodes[0]), await cluster.shopAt(nodes[1])];
}, much);
afterAll(async () => {
  await cluster.close();
  await sink.close();
  await server.close();
}, much);

const textFrom = (device: string) => {
  return { to: freshNumber(), from: device, message: freshText(), Type: "text" };
};

/** A shop's account, as each of the nodes serves it. */
const ways = (shop: Shop) => nodes.map((node) => servedBy(node, shop.account));
const way = (shop: Shop, turn: number) => ways(shop)[turn % nodes.length]!;

const ask = (
  gateway: Gateway,
  key: string,
  method: string,
  path: string,
  body?: string,
  headers = {},
): Promise<Answer> =>
  gateway.request({ method, path, headers: { authorization: `Bearer ${key}`, ...headers }, body });

/** The answers of both nodes, which must be the same. */
async function same<T>(what: string, of: (node: Gateway) => Promise<T>): Promise<T> {
  const [one, other] = await Promise.all(nodes.map(of));
  expect(other, what).toEqual(one);
  return one!;
}

async function metric(gateway: Gateway, name: string): Promise<number> {
  const { text } = await exchange({ method: "GET", url: `${gateway.url}/metrics` });
  const line = text.split("\n").find((each) => each.startsWith(`${name} `));
  return Number(line?.slice(name.length + 1) ?? Number.NaN);
}

test("both work, for one half of the accounts each, and say the same about it", async () => {
  const shards = await cluster.shards();
  expect([...shards.values()]).toEqual([shardCount / 2, shardCount / 2]);
  const listed = await same("the nodes", states);
  for (const [index, node] of nodes.entries()) {
    const [state, accounts] = listed[cluster.nameOf(node)]!;
    expect(state).toBe("up");
    expect(accounts).toBeGreaterThan(0);
    expect(await metric(node, "merpati_node_accounts")).toBe(accounts);
    expect(await node.isReady()).toBe(true);
    expect(await cluster.ownerOf(shops[index]!.account)).toBe(node);
  }
  const all = await nodes[0].json("account", "list");
  expect(Object.values(listed).reduce((sum, [, accounts]) => sum + accounts, 0)).toBe(all.length);
});

describe.each([
  { whose: "the first node", index: 0 },
  { whose: "the second node", index: 1 },
])("an account of $whose", ({ index }) => {
  const shop = () => shops[index]!;
  const owner = () => nodes[index]!;
  const other = () => nodes[1 - index]!;
  const body = () => textFrom(shop().devices[0]!);

  test("is sent for by its own node alone, in the order in which both accepted", async () => {
    const passed = await metric(other(), "merpati_forwarded_requests_total");
    const texts: string[] = [];
    for (let turn = 0; turn < 40; turn += 1) {
      const one = body();
      texts.push(one.message);
      expectAccepted(await way(shop(), turn).send(one));
    }
    const sentBy = (node: Gateway) =>
      node.simulator.all().map((attempt) => attempt.body).filter((text) => texts.includes(text));
    await waitFor("all messages", () => sentBy(owner()).length >= texts.length);
    expect(sentBy(owner())).toEqual(texts);
    expect(sentBy(other())).toEqual([]);
    const now = await metric(other(), "merpati_forwarded_requests_total");
    expect(now - passed).toBeGreaterThanOrEqual(texts.length / 2);
  });

  test("gets the outcome of a send of revision B from either", async () => {
    for (const account of ways(shop())) {
      const { message: pesan, ...rest } = body();
      expectSent(await account.send({ ...rest, pesan }));
    }
  });

  test("gets the first answer again from the other", async () => {
    for (const turn of [0, 1]) {
      const sent = body();
      const headers = { "Idempotency-Key": `pesanan-${index}-${turn}` };
      const answer = await way(shop(), turn).send(sent, { headers });
      expectAccepted(answer);
      const again = await way(shop(), turn + 1).send(sent, { headers });
      expect(again.text).toBe(answer.text);
      expectRefused(await way(shop(), turn + 1).send(body(), { headers }), rows.reused);
    }
  });

  test("is refused in the same words", async () => {
    for (const account of ways(shop())) {
      expectRefused(await account.send(body(), { key: "merpati_wrong" }), rows.key);
      expectRefused(await account.send("{"), rows.json);
      expectRefused(await account.send(textFrom(freshNumber())), rows.sender);
      expect((await account.send("x".repeat(100_000))).status).toBe(413);
      expect((await ask(account.gateway, account.key, "GET", "/v1/nothing")).status).toBe(404);
    }
  });

  test("has one rate, asked of both at once", async () => {
    const { account, devices } = await cluster.shopAt(owner(), { flags: { rate: "5/min" } });
    const slow = { account, devices };
    const replies = await Promise.all(
      Array.from({ length: 16 }, (_, turn) => way(slow, turn).send(textFrom(devices[0]!))),
    );
    const accepted = replies.filter(({ status }) => status === 200);
    const refused = replies.filter(({ status }) => status === 429);
    expect(accepted.length).toBe(5);
    expect(refused.length).toBe(11);
  });

  test("has one credit, and spends it exactly", async () => {
    const poor = await cluster.shopAt(owner(), { flags: { credits: 10 } });
    const { id } = poor.account;
    const spend = async () => {
      const sends = Array.from({ length: 24 }, (_, turn) =>
        way(poor, turn).send(textFrom(poor.devices[0]!)),
      );
      const replies = await Promise.all(sends);
      for (const reply of replies) if (reply.status !== 200) expectRefused(reply, rows.credit);
      return replies.filter(({ status }) => status === 200).length;
    };
    expect(await spend()).toBe(10);
    await other().json("account", "topup", id, "7");
    expect(await spend()).toBe(7);
    const shown = await same("the account", (node) => node.json("account", "show", id));
    expect(shown.credit).toBe(0);
    const ledger = await same("the ledger", (node) => node.json("account", "credit", id));
    expect(ledger.length).toBeGreaterThan(0);
  }, much);

  test("is told of each message once, with its own signature", async () => {
    const path = `/told-${index}`;
    const ids: string[] = [];
    for (let turn = 0; turn < 10; turn += 1) {
      const sent = { ...body(), callbackStatus: sink.url(path) };
      ids.push(expectAccepted(await way(shop(), turn).send(sent)));
    }
    await sink.requests(path, ids.length, 30_000);
    const received = sink.at(path);
    expect(received.map(({ json }) => json.requestId).sort()).toEqual(ids.sort());
    for (const { headers, body: text } of received) {
      expectSigned(shop().account.webhookSecret, headers, text);
    }
  });

  test("sees its events by way of both, and goes on at the other with Last-Event-ID", async () => {
    const scopes = ["send", "messages:read"] as const;
    const key = await keyWith(shop().account, scopes);
    const watchers = nodes.map((node) => new Watcher(node.url, key));
    await Promise.all(watchers.map((watcher) => watcher.begun()));
    const isSent = (id: string) => (data: any) => data.id === id && data.state === "sent";
    let latest = "";
    for (const turn of [0, 1]) {
      const id = expectAccepted(await way(shop(), turn).send(body()));
      const seen = await Promise.all(
        watchers.map((watcher) => watcher.until("message.updated", isSent(id))),
      );
      expect(seen[0]!.id).toBe(seen[1]!.id);
      latest = seen[0]!.id;
    }
    for (const watcher of watchers) watcher.close();
    const missed = expectAccepted(await shop().account.send(body()));
    for (const node of nodes) {
      const again = new Watcher(node.url, key, { lastId: latest });
      await again.until("message.updated", isSent(missed));
      expect(again.all.some(({ event }) => event === "resync")).toBe(false);
      again.close();
    }
  });

  test("adds devices, and sends in bulk, by way of both", async () => {
    const { account } = shop();
    for (const turn of [0, 1]) {
      const added = await way(shop(), turn).addDevice({ device: freshNumber() });
      expect(added.status, added.text).toBe(200);
      const bulk = await ask(
        nodes[turn]!,
        account.key,
        "POST",
        "/v1/messages/bulk",
        JSON.stringify({ messages: Array.from({ length: 500 }, body) }),
        { "content-type": "application/json" },
      );
      expect(bulk.status, bulk.text.slice(0, 300)).toBe(200);
      expect(JSON.parse(bulk.text)).toMatchObject({ accepted: 500, refused: 0 });
    }
    const listed = await same("the devices", (node) => node.json("device", "list", account.id));
    expect(listed.length).toBeGreaterThanOrEqual(3);
  });

  test("puts and gets a long list by way of both", async () => {
    const key = await keyWith(shop().account, SCOPES);
    for (const [turn, node] of nodes.entries()) {
      const people = Array.from({ length: 3_000 }, () => `${freshNumber()},Orang ${turn}`);
      const csv = `nomor,nama\n${people.join("\n")}\n`;
      expect(csv.length).toBeGreaterThan(64 << 10); // It goes in pieces.
      const imported = await ask(node, key, "POST", "/v1/contacts/import", csv, {
        "content-type": "text/csv",
      });
      expect(imported.status, imported.text.slice(0, 300)).toBe(200);
      const text = await same("the contacts", async (each) => {
        const exported = await ask(each, key, "GET", "/v1/contacts/export");
        expect(exported.status, exported.text.slice(0, 300)).toBe(200);
        return exported.text;
      });
      expect(text.split("\n").length).toBeGreaterThan(3_000 * (turn + 1));
    }
  }, much);

  test("runs a campaign that one node made, the other filled, and either controls", async () => {
    const text = freshText();
    const plan = { message: `${text} {{nama|Kak}}`, pace: { per_minute: 600 } };
    const [own, by] = await bothCampaigns(shop());
    const id = await own.create(shop().devices, plan);
    const people = Array.from({ length: 60 }, () => `${freshNumber()},Ani`);
    await by.upload(id, `nomor,nama\n${people.join("\n")}\n`);
    await by.act(id, "start");
    await own.act(id, "pause");
    expect((await by.show(id)).state).toBe("paused");
    await by.act(id, "resume");
    await own.until(id, "finished", 60_000);
    expect(await by.rows(id)).toEqual(await own.rows(id));
    const sentBy = (node: Gateway) =>
      node.simulator.all().filter((attempt) => attempt.body.startsWith(text));
    expect(sentBy(owner())).toHaveLength(people.length);
    expect(sentBy(other())).toEqual([]);
  }, much);

  test("lets people leave by a link of either, and counts its campaign right", async () => {
    const [own, by] = await bothCampaigns(shop());
    const marketing = { purpose: "marketing", consent: "web form", quiet_hours: null };
    const plan = { message: "{{optout_url}}", ...marketing };
    const id = await own.create(shop().devices, plan);
    const numbers = [freshNumber(), freshNumber(), freshNumber(), freshNumber()];
    await by.done("POST", `/${id}/recipients`, { numbers });
    const leave = async (node: Gateway, row: number) => {
      const { text } = await by.done("POST", `/${id}/preview`, { row });
      const path = new URL(text).pathname;
      expect((await node.request({ method: "POST", path })).status).toBe(200);
      const flags = [numbers[row - 1]!, "--account", shop().account.id];
      const left = await same("the suppression", (each) =>
        each.json("suppression", "show", ...flags),
      );
      expect(left).toMatchObject({ number: flags[0], reason: "opt_out" });
    };
    for (const [turn, node] of nodes.entries()) await leave(node, 1 + turn);
    await own.act(id, "start");
    const { counts } = await own.until(id, "finished", 60_000);
    expect(counts).toMatchObject({ sent: 2, skipped: 2, pending: 0 });
    for (const [turn, node] of nodes.entries()) await leave(node, 3 + turn);
    for (const each of [own, by]) expect((await each.show(id)).counts).toEqual(counts);
  }, much);

  test("loses a key at both as soon as either has revoked it", async () => {
    for (const turn of [0, 1, 0, 1]) {
      const made = await nodes[turn]!.json("key", "create", shop().account.id);
      for (const account of ways(shop())) {
        expectAccepted(await account.send(body(), { key: made.key }));
      }
      await nodes[1 - turn]!.json("key", "revoke", made.id);
      for (const account of ways(shop())) {
        const refused = async () => (await account.send(body(), { key: made.key })).status === 401;
        await waitFor("the key to be refused", refused, 1_000); // As is promised.
      }
    }
  });

  test("is managed by the commands of both machines", async () => {
    const { account, devices } = shop();
    const [device] = devices as [string];
    for (const [turn, node] of nodes.entries()) {
      const beside = nodes[1 - turn]!;
      await node.json("device", "pause", device);
      const ids: string[] = [];
      for (let count = 0; count < 3; count += 1) {
        ids.push(expectAccepted(await way(shop(), count).send(body())));
      }
      const queue = await same("the queue", async (each) => {
        const { next_attempt_at: _, ...shown } = await each.json("device", "queue", "show", device);
        return shown; // The time is computed by two clocks, exact to a millisecond.
      });
      expect(queue.waiting).toBe(3);
      await beside.json("message", "cancel", ids[0]!);
      await node.json("device", "resume", device);
      await waitFor("the messages", async () => {
        const list = await beside.json("message", "list", "--account", account.id, "--limit", "3");
        return list.every(({ state }: any) => state === "sent" || state === "cancelled");
      });
      const shown = await same("a message", (each) => each.json("message", "show", ids[0]!));
      expect(shown).toMatchObject({ id: ids[0]!, state: "cancelled" });
      await beside.json("account", "set", account.id, "--name", `Toko ${turn}`);
      const named = await same("the account", (each) => each.json("account", "show", account.id));
      expect(named.name).toBe(`Toko ${turn}`);
    }
  }, much);
});

/** The campaigns of an account, by way of each node. */
async function bothCampaigns({ account }: Shop): Promise<[Campaigns, Campaigns]> {
  const campaigns = await Campaigns.of(account);
  return nodes.map((node) => campaigns.by(node)) as [Campaigns, Campaigns];
}

test("all lists are the same, whichever machine is asked", async () => {
  for (const { account, devices } of shops) {
    const later = { ...textFrom(devices[0]!), delay: 3_600 };
    expectAccepted(await way({ account, devices }, 0).send(later));
    await nodes[0].json("suppression", "add", freshNumber(), "--account", account.id);
  }
  const lists = [
    ["account", "list"],
    ["user", "list"],
    ["device", "list"],
    ["message", "list", "--limit", "1000"],
    ["callback", "list", "--limit", "1000"],
    ["campaign", "list"],
    ["account", "usage", "--by", "day,code"],
    ...shops.flatMap(({ account: { id } }) => [
      ["key", "list", id],
      ["device", "list", id],
      ["account", "credit", id],
      ["account", "usage", id],
      ["suppression", "list", "--account", id],
    ]),
  ];
  for (const list of lists) {
    // What ended just now may be in one answer and not yet in the other.
    await waitFor(`the same answers to ${list.join(" ")}`, async () => {
      const [one, other] = await Promise.all(nodes.map((node) => node.json(...list)));
      return JSON.stringify(one) === JSON.stringify(other);
    });
  }
}, much);

test("a new account, its key and its device are known to both at once", async () => {
  for (let turn = 0; turn < 8; turn += 1) {
    const [one, other] = [nodes[turn % 2]!, nodes[1 - (turn % 2)]!];
    const made = await one.account();
    const account = servedBy(other, made);
    await account.createKey();
    const device = await servedBy(one, account).device();
    for (const node of nodes) {
      expectAccepted(await servedBy(node, account).send(textFrom(device)));
    }
  }
}, much);

describe("people", () => {
  let people = 0;
  const someone = (node: Gateway, ...flags: string[]) =>
    person(node, `orang${++people}@toko.example`, ...flags);

  test("who sign in at one are known to the other, and leave both at once", async () => {
    for (const [turn, node] of nodes.entries()) {
      const beside = nodes[1 - turn]!;
      const who = await someone(beside, "--admin");
      const browser = await PersonClient.signedIn(node, who);
      for (const each of nodes) {
        expect((await browser.by(each).ask("GET", "/session")).status).toBe(200);
        expect((await browser.by(each).ask("GET", "/admin/nodes")).json.items).toHaveLength(2);
        expect((await exchange({ method: "GET", url: `${each.url}/app/` })).status).toBe(200);
      }
      expect((await browser.by(beside).ask("DELETE", "/session")).status).toBe(200);
      for (const each of nodes) {
        expect((await browser.by(each).ask("GET", "/session")).status).toBe(401);
      }
    }
  });

  test("may guess as often as at one node", async () => {
    const who = await someone(nodes[0], "--admin");
    const answers: number[] = [];
    for (let turn = 0; turn < 12; turn += 1) {
      const stranger = new PersonClient(nodes[turn % 2]!);
      const wrong = { ...who, password: `kuda lumping ${turn}` };
      answers.push((await stranger.signIn(wrong)).status);
    }
    // Six at once, and one more after each minute.
    const wrong = answers.filter((status) => status === 401).length;
    expect(wrong).toBeGreaterThanOrEqual(6);
    expect(wrong).toBeLessThanOrEqual(7);
    expect(answers.filter((status) => status === 429).length).toBe(12 - wrong);
  });

  test("of an account of each node work in both, by way of both", async () => {
    const [one, other] = shops.map(({ account }) => account.id) as [string, string];
    const who = await someone(nodes[0], "--account", one, "--role", "owner");
    await nodes[1].json("user", "set", who.email, "--account", other, "--role", "operator");
    const browser = await PersonClient.signedIn(nodes[1], who);
    for (const { account, devices } of shops) {
      const id = expectAccepted(await account.send({ ...textFrom(devices[0]!), delay: 3_600 }));
      for (const node of nodes) {
        const by = browser.by(node);
        const listed = await by.ask("GET", `/messages?account=${account.id}`);
        expect(listed.json.items[0]).toMatchObject({ id, account: account.id });
        expect((await by.ask("GET", `/messages/${id}`)).json.id).toBe(id);
      }
      const cancelled = await browser.by(nodes[0]).ask("POST", `/messages/${id}/cancel`, {});
      expect(cancelled.status, cancelled.text).toBe(200);
      const again = await browser.by(nodes[1]).ask("POST", `/messages/${id}/cancel`, {});
      expect(again.status, again.text).toBe(409);
    }
    // Rights that one node takes away are gone at both.
    await nodes[1].json("user", "set", who.email, "--account", one, "--role", "none");
    for (const node of nodes) {
      const gone = await browser.by(node).ask("GET", `/messages?account=${one}`);
      expect(gone.status).toBe(404);
    }
  });

  test("who administer the server act on every account, by way of both", async () => {
    const browser = await PersonClient.signedIn(nodes[0], await someone(nodes[1], "--admin"));
    const done = async (node: Gateway, ...call: Parameters<PersonClient["ask"]>) => {
      const answer = await browser.by(node).ask(...call);
      const what = `${call[0]} ${call[1]}: ${answer.text.slice(0, 300)}`;
      expect(answer.status, what).toBe(200);
      return answer.json;
    };
    for (const { account, devices } of shops) {
      for (const [turn, node] of nodes.entries()) {
        const id = expectAccepted(await account.send({ ...textFrom(devices[0]!), delay: 3_600 }));
        await done(node, "POST", `/messages/${id}/cancel`, {});
        const device = `/devices/${devices[0]}`;
        const gap = { gap_ms: turn + 1 };
        expect(await done(node, "PATCH", device, gap)).toMatchObject(gap);
        for (const each of nodes) {
          expect(await done(each, "GET", device)).toMatchObject(gap);
        }
        const plan = { name: "Kabar", devices, message: "Halo", account: account.id };
        const made = await done(node, "POST", "/campaigns", plan);
        // Which account a long list is for is in the path alone, by the campaign's id.
        const people = Array.from({ length: 2_000 }, () => `${freshNumber()},${"a".repeat(40)}`);
        const csv = `nomor,nama\n${people.join("\n")}\n`;
        expect(csv.length).toBeGreaterThan(64 << 10);
        const list = { "content-type": "text/csv" };
        await done(node, "POST", `/campaigns/${made.id}/recipients`, csv, list);
        await done(node, "DELETE", `/campaigns/${made.id}`);
      }
    }
    const all = await same("all messages", async (node) => {
      const { items } = await done(node, "GET", "/messages?limit=1000");
      return items.map(({ id, account }: any) => `${id} ${account}`);
    });
    for (const { account } of shops) {
      expect(all.some((one: string) => one.endsWith(` ${account.id}`))).toBe(true);
    }
  }, much);
});
