// Sent media: the platform's input, and the caller's answers and callbacks.
import { createServer, type AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { shop } from "./support/account.ts";
import { expectAccepted, expectRefused, expectSent, rows } from "./support/expect.ts";
import * as files from "./support/files.ts";
import { MediaShop } from "./support/media_shop.ts";
import { freshNumber, freshText, simulated } from "./support/numbers.ts";

const { bigPng, gif, html, jpeg, mp4, opus, pdf, png, sha256, shapeless } = files;
const max = 2 * 1024 * 1024;
let media: MediaShop;

beforeAll(async () => {
  media = await MediaShop.open({ settings: { "media.max_bytes": max } });
});
afterAll(() => media.close());

/** A file in the platform's record. */
const recorded = (url: string, mime: string, content: Buffer) => ({
  url,
  mime,
  bytes: content.length,
  sha256: sha256(content),
});

test("revision A: the file arrives with its caption, and is reported as media", async () => {
  const to = freshNumber();
  const caption = freshText();
  const url = media.host.put({ content: png });
  const callback = await media.outcome({ url, to, caption });
  expect(callback).toMatchObject({
    type: "media",
    status: "sent",
    code: 200,
    to: Number(to),
    device: Number(media.device),
  });
  expect(media.gateway.simulator.to(to)).toMatchObject([
    {
      from: media.device,
      type: "media",
      body: caption,
      media: recorded(url, "image/png", png),
      messageid: callback.messageid,
      attempt: 1,
      result: "sent",
      code: 200,
    },
  ]);
});

test("revision B: the answer is the outcome", async () => {
  const to = freshNumber();
  const caption = freshText();
  const url = media.host.put({ content: pdf, type: "application/pdf" });
  const reply = await media.send("B", { url, to, caption });
  expectSent(reply);
  expect(reply.json).toEqual({
    success: true,
    message: "Pesan berhasil dikirim",
    data: { status: "sent", to, code: 200 },
  });
  expect(media.gateway.simulator.to(to)).toMatchObject([
    { type: "media", body: caption, media: recorded(url, "application/pdf", pdf), result: "sent" },
  ]);
});

test.each(["A", "B"] as const)("revision %s: the caption may be left out", async (revision) => {
  for (const caption of [undefined, "", "   "]) {
    const to = freshNumber();
    const url = media.host.put({ content: png });
    expect((await media.send(revision, { url, to, caption })).status).toBe(200);
    const attempt = await media.gateway.simulator.attemptTo(to);
    expect(attempt).toMatchObject({ type: "media", body: caption ?? "", result: "sent" });
  }
});

test.each([
  ["IMAGE/PNG; a=b", png, /^image\/png$/],
  ["image/png", jpeg, /^image\/jpeg$/],
  ["image/png", gif, /^image\/gif$/],
  ["image/gif", gif, /^image\/gif$/],
  ["video/mp4", mp4, /^video\/mp4$/],
  ["application/pdf", pdf, /^application\/pdf$/],
  ["audio/ogg; codecs=opus", opus, /^audio\/ogg(; codecs=opus)?$/],
  ["application/vnd.ms-excel", shapeless(3000), /^application\/vnd\.ms-excel$/],
  ["audio/L24", shapeless(3000), /^audio\/l24$/],
] as const)("a file declared %s is sent as what it is", async (type, content, mime) => {
  const to = freshNumber();
  const url = media.host.put({ content, type });
  expectAccepted(await media.send("A", { url, to }));
  const attempt = await media.gateway.simulator.attemptTo(to);
  expect(attempt.media).toMatchObject({ bytes: content.length, sha256: sha256(content) });
  expect(attempt.media!.mime).toMatch(mime);
});

describe.each([
  ["of a known size", {}],
  ["in chunks", { length: false }],
  ["from a server without ranges", { ranges: false }],
  ["from a server without either", { length: false, ranges: false }],
])("a large file %s", (_, form) => {
  test("arrives whole", async () => {
    const to = freshNumber();
    const content = bigPng(max);
    const url = media.host.put({ content, ...form });
    expectAccepted(await media.send("A", { url, to }));
    expect((await media.gateway.simulator.attemptTo(to)).media).toEqual(
      recorded(url, "image/png", content),
    );
  });

  test("over media.max_bytes never does", async () => {
    const to = freshNumber();
    let known = false; // The probe gets a small file.
    const url = media.host.put(({ method, range }) => {
      if (known) return { content: bigPng(max + 1), ...form };
      known = method === "GET" && range !== undefined;
      return { content: png, length: false, ranges: false };
    });
    expect(await media.outcome({ url, to })).toMatchObject({ status: "failed", code: 500 });
    expect(media.gateway.simulator.to(to)).toEqual([]);
  });
});

test("a file behind three redirects arrives under the address that was asked for", async () => {
  const to = freshNumber();
  const file = media.host.put({ content: png });
  const url = [1, 2, 3].reduce((next) => media.host.redirect(next), file);
  expectAccepted(await media.send("A", { url, to }));
  expect((await media.gateway.simulator.attemptTo(to)).media).toEqual(
    recorded(url, "image/png", png),
  );
});

test("an address is fetched once for many sends", async () => {
  const url = media.host.put({ content: bigPng(500_000) });
  const recipients = Array.from({ length: 50 }, freshNumber);
  const replies = await Promise.all(recipients.map((to) => media.send("A", { url, to })));
  for (const reply of replies) expectAccepted(reply);
  await Promise.all(recipients.map((to) => media.gateway.simulator.attemptTo(to)));
  expect(media.host.fetches(url)).toBe(1);
  expect(media.host.heads(url)).toBe(1);
  expectAccepted(await media.send("A", { url }));
  expect(media.host.fetches(url)).toBe(1);
});

test("a repeat under its key is sent once, and the file fetched once", async () => {
  const to = freshNumber();
  const url = media.host.put({ content: png });
  const headers = { "Idempotency-Key": `berkas-${freshNumber()}` };
  const replies = await Promise.all([1, 2, 3].map(() => media.send("A", { url, to }, { headers })));
  const [accepted, running] = [200, 409].map((code) => replies.filter((r) => r.status === code));
  expect(accepted!.length + running!.length).toBe(replies.length);
  expect(new Set(accepted!.map((reply) => expectAccepted(reply))).size).toBe(1);
  await media.gateway.simulator.attemptTo(to);
  expectAccepted(await media.send("A", { url, to }, { headers }));
  expect(media.gateway.simulator.to(to)).toHaveLength(1);
  expect(media.host.fetches(url)).toBe(1);
  const outcome = { "Idempotency-Key": `berkas-${freshNumber()}` };
  const first = await media.send("B", { url, to: freshNumber() }, { headers: outcome });
  expectSent(first);
});

test("a recipient in 991003 refuses the type: 1003, and 415 in revision B", async () => {
  const url = media.host.put({ content: png });
  const before = await media.credit();
  expect(await media.outcome({ url, to: simulated("991003") })).toMatchObject({
    type: "media",
    status: "failed",
    code: 1003,
  });
  expectRefused(await media.send("B", { url, to: simulated("991003") }), rows.fileType);
  expectRefused(await media.send("B", { url, to: simulated("991001") }), rows.failed);
  expect(await media.credit()).toBe(before);
});

describe.concurrent("what changes between acceptance and send", () => {
  const later = { delay: 2 };

  test("into another allowed file: that one is sent", async ({ expect }) => {
    const to = freshNumber();
    const url = media.host.put({ content: png });
    expectAccepted(await media.send("A", { url, to, ...later }));
    media.host.change(url, { content: jpeg, type: "image/jpeg" });
    expect((await media.gateway.simulator.attemptTo(to)).media).toEqual(
      recorded(url, "image/jpeg", jpeg),
    );
  });

  test.each([
    ["a page", { content: html, type: "text/html" }],
    ["a page that calls itself a picture", { content: html }],
    ["a picture that calls itself a page", { content: png, type: "text/html" }],
  ])("into %s: 1003", async (_, changed) => {
    const to = freshNumber();
    const url = media.host.put({ content: png });
    const outcome = media.outcome({ url, to, ...later });
    await media.host.accepted(url);
    media.host.change(url, changed);
    expect(await outcome).toMatchObject({ type: "media", status: "failed", code: 1003 });
    expect(media.gateway.simulator.to(to)).toEqual([]);
  });

  test("into a GIF: 415 in revision B, which has no GIF", async () => {
    const url = media.host.put({ content: png });
    const reply = media.send("B", { url, ...later });
    await media.host.accepted(url);
    media.host.change(url, { content: gif, type: "image/gif" });
    expectRefused(await reply, rows.fileType);
  });

  test.each([
    ["nothing", { status: 404 }, "Url media tidak dapat diakses"],
    ["something secret", { status: 403 }, "Url media tidak dapat diakses"],
    ["a large file", { content: bigPng(max + 1) }, "Ukuran file melebihi batas maksimum"],
  ])("into %s: 500", async (_, changed, details) => {
    const put = () => media.host.put({ content: png });
    const [a, b] = [put(), put()];
    const outcome = media.outcome({ url: a, ...later });
    const reply = media.send("B", { url: b, ...later });
    await Promise.all([media.host.accepted(a), media.host.accepted(b)]);
    media.host.change(a, changed);
    media.host.change(b, changed);
    expect(await outcome).toMatchObject({ status: "failed", code: 500, details });
    expectRefused(await reply, rows.failed);
  });

  test("a failed file gives its credit back, once", async () => {
    const { account, device } = await shop(media.gateway, { credits: 3 });
    const url = media.host.put({ content: png });
    const body = { to: freshNumber(), from: device, Type: "media", url, ...later };
    const path = "/kredit-kembali";
    expectAccepted(await account.send({ ...body, callbackStatus: media.sink.url(path) }));
    expect(await media.gateway.json("account", "show", account.id)).toMatchObject({ credit: 2 });
    media.host.change(url, { status: 410 });
    expect((await media.sink.request(path)).json).toMatchObject({ code: 500 });
    expect(await media.gateway.json("account", "show", account.id)).toMatchObject({ credit: 3 });
  });
});

describe.concurrent("a host in trouble", () => {
  const passing = (times: number, trouble: object) => {
    let fetches = 0;
    return media.host.put(({ method, range }) => {
      if (method === "HEAD" || range) return { content: png };
      fetches += 1;
      return fetches <= times ? trouble : { content: png };
    });
  };

  test.each([
    ["503", { status: 503 }],
    ["429", { status: 429 }],
    ["500", { status: 500 }],
  ])("that answers %s twice is asked again, and the file sent", async (_, trouble) => {
    const to = freshNumber();
    const url = passing(2, trouble);
    expectAccepted(await media.send("A", { url, to }));
    expect((await media.gateway.simulator.attemptTo(to)).result).toBe("sent");
    expect(media.host.fetches(url)).toBe(3);
  });

  test("that goes on answering 503: the message fails with 500", async () => {
    const put = () => media.host.put({ status: 503 });
    const [outcome, reply] = await Promise.all([
      media.outcome({ url: put() }),
      media.send("B", { url: put() }),
    ]);
    const details = "Url media tidak dapat diakses";
    expect(outcome).toMatchObject({ status: "failed", code: 500, details });
    expectRefused(reply, rows.failed);
  });

  test("that is not there: the message fails with 500", async () => {
    const url = "http://127.0.0.1:1/a.png";
    const [outcome, reply] = await Promise.all([
      media.outcome({ url }),
      media.send("B", { url }),
    ]);
    const details = "Server media tidak menjawab";
    expect(outcome).toMatchObject({ status: "failed", code: 500, details });
    expectRefused(reply, rows.failed);
  });

  test("that comes up a little later: the message is sent", async () => {
    const to = freshNumber();
    const blocked = createServer();
    await new Promise<void>((resolve) => blocked.listen(0, "127.0.0.1", resolve));
    const { port } = blocked.address() as AddressInfo;
    await new Promise((resolve) => blocked.close(resolve));
    expectAccepted(await media.send("A", { url: `http://127.0.0.1:${port}/a.png`, to }));
    const late = createServer((socket) =>
      socket.once("data", () =>
        socket.end(
          Buffer.concat([
            Buffer.from(
              "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nConnection: close\r\n" +
                `Content-Length: ${png.length}\r\n\r\n`,
            ),
            png,
          ]),
        ),
      ),
    );
    await new Promise<void>((resolve) => late.listen(port, "127.0.0.1", resolve));
    expect((await media.gateway.simulator.attemptTo(to)).result).toBe("sent");
    await new Promise((resolve) => late.close(resolve));
  });

  test("that never answers: the message fails, and texts of its device went before", async () => {
    const reply = media.send("B", { url: media.host.put({ hang: true }) });
    const { account, device } = await shop(media.gateway);
    const url = media.host.put({ hang: true });
    const body = { to: freshNumber(), from: device, Type: "media", url };
    const path = "/mati";
    expectAccepted(await account.send({ ...body, callbackStatus: media.sink.url(path) }));
    const texts = Array.from({ length: 5 }, () => freshText());
    const start = Date.now();
    for (const message of texts) {
      expectAccepted(
        await account.send({ to: freshNumber(), from: device, message, Type: "text" }),
      );
    }
    for (const message of texts) await media.gateway.simulator.attempt(message);
    expect(Date.now() - start).toBeLessThan(3000);
    expect(media.sink.at(path)).toEqual([]);
    expect((await media.sink.request(path, 40_000)).json).toMatchObject({ code: 500 });
    expectRefused(await reply, rows.failed); // Within the wait, so the answer is not `pending`.
  });
});

describe.concurrent("a gateway that ends while it fetches", () => {
  test.each(["kill", "stop"] as const)("by %s: the file is sent once after all", async (end) => {
    const other = await MediaShop.open();
    try {
      const to = freshNumber();
      const content = bigPng(300_000);
      const never = new Promise(() => undefined);
      const url = other.host.put({ content, half: never });
      expectAccepted(await other.send("A", { url, to, callbackStatus: other.sink.url("/akhir") }));
      await other.host.fetched(url);
      await other.gateway[end]();
      other.host.change(url, { content });
      await other.gateway.start();
      expect((await other.gateway.simulator.attemptTo(to)).media).toEqual(
        recorded(url, "image/png", content),
      );
      expect((await other.sink.request("/akhir")).json).toMatchObject({ status: "sent" });
      expect(other.gateway.simulator.to(to)).toHaveLength(1);
    } finally {
      await other.close();
    }
  });
});

test("a device that is down keeps its media, and sends it when it is back", async () => {
  const to = freshNumber();
  const { account, device } = await shop(media.gateway);
  const url = media.host.put({ content: png });
  const body = { to, from: device, Type: "media", url, delay: 1 };
  expectAccepted(await account.send(body));
  await media.gateway.json("device", "disconnect", device);
  await media.gateway.json("device", "connect", device);
  expect((await media.gateway.simulator.attemptTo(to, 40_000)).result).toBe("sent");
});

test("the gateway's own store shows what became of a file", async () => {
  const url = media.host.put({ content: png });
  const { requestId } = await media.outcome({ url });
  const shown = await media.gateway.json("message", "show", requestId);
  expect(shown).toMatchObject({ type: "media", state: "sent" });
});

test("files are kept for a while, within their room, and none from an earlier run", async () => {
  const kept = 400_000;
  const settings = { "media.max_bytes": kept, "media.kept_bytes_max": kept };
  const other = await MediaShop.open({ settings: { ...settings, "media.kept_for": "2s" } });
  const folder = other.gateway.own("-media");
  const bytes = () => files.bytesIn(folder);
  try {
    for (const size of [150_000, 150_000, 150_000, 150_000]) {
      const url = other.host.put({ content: bigPng(size) });
      expectSent(await other.send("B", { url }));
    }
    expect(bytes()).toBeGreaterThan(0);
    await expect.poll(bytes, { timeout: 10_000 }).toBeLessThanOrEqual(kept);
    await expect.poll(bytes, { timeout: 10_000 }).toBe(0);
    const url = other.host.put({ content: bigPng(150_000), half: new Promise(() => undefined) });
    expectAccepted(await other.send("A", { url }));
    await expect.poll(bytes, { timeout: 10_000 }).toBeGreaterThan(0);
    await other.gateway.kill();
    other.host.change(url, { status: 404 });
    await other.gateway.start();
    await expect.poll(bytes, { timeout: 10_000 }).toBe(0);
  } finally {
    await other.close();
  }
});

test("metrics count looks, fetches and files", async () => {
  const metrics = async () => {
    const { text } = await media.gateway.request({ method: "GET", path: "/metrics" });
    return (name: string) => Number(new RegExp(`^merpati_media_${name} (.*)$`, "m").exec(text)![1]);
  };
  const before = await metrics();
  const url = media.host.put({ content: bigPng(70_000) });
  await Promise.all([1, 2].map(() => media.outcome({ url })));
  const after = await metrics();
  const grown = (name: string) => after(name) - before(name);
  expect(grown("probes_total")).toBe(1);
  expect(grown("probes_shared_total")).toBe(1);
  expect(grown("fetched_total")).toBe(1);
  expect(grown("fetched_bytes_total")).toBe(70_000);
  expect(grown("shared_total")).toBe(1);
  expect(after("fetches_in_flight")).toBe(0);
  expect(after("kept_files")).toBeGreaterThan(0);
});
