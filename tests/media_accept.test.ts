// Media at acceptance: the result of the probe decides the answer.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { shop } from "./support/account.ts";
import { expectAccepted, expectRefused, expectSent, rows } from "./support/expect.ts";
import { bigPng, gif, html, jpeg, mp4, opus, pdf, png, shapeless } from "./support/files.ts";
import type { MediaAnswer } from "./support/media_server.ts";
import { MediaShop } from "./support/media_shop.ts";
import { bothRevisions, inNoList, revisionAOnly } from "./support/media_types.ts";
import { freshNumber } from "./support/numbers.ts";

const max = 256 * 1024;
let media: MediaShop;

beforeAll(async () => {
  // Revision B answers at acceptance too, so that both revisions report only the probe's verdict.
  const settings = { "media.max_bytes": max, "api.revision_b.respond": "accepted" };
  media = await MediaShop.open({ settings });
});
afterAll(() => media.close());

describe.each(["A", "B"] as const)("revision %s", (revision) => {
  const put = (answer: MediaAnswer) => media.host.put({ content: png, ...answer });
  const send = (url: string) => media.send(revision, { url });
  const expectTaken = revision === "A" ? expectAccepted : expectSent;
  const allowed = revision === "A" ? [...bothRevisions, ...revisionAOnly] : bothRevisions;
  const refused = revision === "A" ? inNoList : [...inNoList, ...revisionAOnly];
  const notDeclared = revision === "A" ? rows.fileType : rows.mimeType;
  const tooLarge = revision === "A" ? rows.tooLarge : rows.tooLargeB;

  test("every type of its list is accepted", async () => {
    await Promise.all(
      allowed.map(async (type) => {
        const reply = await send(put({ type, content: shapeless(1000) }));
        expect(reply.json.success, `${type}: ${reply.text}`).toBe(true);
      }),
    );
  });

  test("every other declared type is refused, whatever the file is", async () => {
    await Promise.all(
      refused.map(async (type) => {
        const reply = await send(put({ type }));
        expect(reply.json.message, type).toBe(notDeclared[0]);
        expectRefused(reply, notDeclared);
      }),
    );
  });

  test.each(["IMAGE/PNG", "image/png; charset=binary", " image/png ;a=b", "Image/Png;"])(
    "case and parameters of %j do not matter",
    async (type) => void expectTaken(await send(put({ type }))),
  );

  test.each(["audio/ogg; codecs=opus", "audio/ogg;codecs=opus", 'Audio/OGG; Codecs="opus"'])(
    "%s is accepted",
    async (type) => void expectTaken(await send(put({ type, content: opus }))),
  );

  test.each([
    ["image/png", jpeg],
    ["application/pdf", png],
    ["audio/mpeg", opus],
    ["image/webp", pdf],
  ])("a file declared %s that is another of the list's is accepted", async (type, content) => {
    expectTaken(await send(put({ type, content })));
  });

  test.each(["image/png", "application/pdf", "audio/mpeg"])(
    "a page declared %s is refused for what it is",
    async (type) => expectRefused(await send(put({ type, content: html })), rows.fileType),
  );

  test.each([
    ["GIF", gif],
    ["film", mp4],
  ])("a %s declared image/png is judged as what it is", async (_, content) => {
    const reply = await send(put({ content }));
    if (revision === "A") expectAccepted(reply);
    else expectRefused(reply, rows.fileType);
  });

  test("without a declared type the content decides", async () => {
    expectTaken(await send(put({ type: null })));
    expectRefused(await send(put({ type: null, content: html })), rows.fileType);
    expectRefused(await send(put({ type: null, content: shapeless(500) })), rows.fileType);
  });

  test("a file of media.max_bytes is accepted, one byte more is not", async () => {
    expectTaken(await send(put({ content: bigPng(max) })));
    expectRefused(await send(put({ content: bigPng(max + 1) })), tooLarge);
  });

  test("the size of a file is seen where HEAD is not answered", async () => {
    const content = bigPng(max + 1);
    const url = media.host.put(({ method }) => (method === "HEAD" ? { status: 405 } : { content }));
    expectRefused(await send(url), tooLarge);
    const rangeless = media.host.put(({ method }) =>
      method === "HEAD" ? { status: 405 } : { content, ranges: false },
    );
    expectRefused(await send(rangeless), tooLarge);
  });

  test("a size that nobody declares is not known yet", async () => {
    expectTaken(await send(put({ content: bigPng(2 * max), length: false, ranges: false })));
  });

  test.each([400, 401, 403, 404, 410, 451])("a host that answers %d refuses", async (status) => {
    expectRefused(await send(put({ status })), rows.inaccessible);
  });

  test.each([403, 405, 501])("a host that answers %d to HEAD is asked by GET", async (status) => {
    const url = media.host.put(({ method }) => (method === "HEAD" ? { status } : { content: png }));
    expectTaken(await send(url));
    expect(media.host.looks(url)).toBe(1);
  });

  test.each([500, 502, 503])("a host that answers %d is left for later", async (status) => {
    expectTaken(await send(put({ status })));
  });

  test("a host that is not there is left for later", async () => {
    expectTaken(await send("http://127.0.0.1:1/a.png"));
    expectTaken(await send("http://tidak-ada.invalid/a.png"));
  });

  test("a host that never answers is waited for 5 s, and left for later", async () => {
    const start = Date.now();
    expectTaken(await send(put({ hang: true })));
    expect(Date.now() - start).toBeGreaterThanOrEqual(4500);
    expect(Date.now() - start).toBeLessThan(8000);
  });

  test.each([301, 302, 303, 307, 308])("three redirects by %d are followed", async (status) => {
    const url = [1, 2, 3].reduce((to) => media.host.redirect(to, status), put({}));
    expectTaken(await send(url));
    const page = [1, 2, 3].reduce((to) => media.host.redirect(to, status), put({ content: html }));
    expectRefused(await send(page), rows.fileType);
  });

  test("a fourth redirect is not followed, and the file judged later", async () => {
    const page = put({ type: "text/html", content: html });
    expectTaken(await send([1, 2, 3, 4].reduce((to) => media.host.redirect(to), page)));
    expect(media.host.requests(page)).toEqual([]);
  });

  test("a relative redirect leads to the same host", async () => {
    const page = put({ type: "text/html", content: html });
    expectRefused(await send(media.host.redirect(new URL(page).pathname)), notDeclared);
  });

  test("other faults are told without a look at the file", async () => {
    const url = put({ status: 404 });
    const faults = [
      [{ delay: 0 }, rows.delay],
      [{ to: null }, rows.recipient],
      [{ from: freshNumber() }, rows.sender],
      [{ caption: "x".repeat(4097) }, rows.long],
    ] as const;
    for (const [fault, row] of faults) {
      expectRefused(await media.send(revision, { url, ...fault }), row);
    }
    expect(media.host.requests(url)).toEqual([]);
  });

  test.each([
    "http://[::1]/a.png",
    "http://169.254.169.254/latest/meta-data",
    "http://[::ffff:10.0.0.1]/a.png",
    "http://2130706433:80.internal/a.png",
    "http://printer/a.png",
    "http://cetak.home.arpa/a.png",
    "file:///etc/passwd",
    17,
    "http://",
  ])("the address %j is refused", async (url) => {
    const row = typeof url === "string" ? rows.urlInvalid : rows.urlMissing;
    expectRefused(await media.send(revision, { url }), row);
  });

  test("the file is judged before the credit", async () => {
    const { account, device } = await shop(media.gateway, { credits: 0 });
    const body = { to: freshNumber(), from: device, Type: "media" };
    const headers = { "X-Api-Revision": revision };
    expectRefused(
      await account.send({ ...body, url: put({ status: 404 }) }, { headers }),
      rows.inaccessible,
    );
    expectRefused(await account.send({ ...body, url: put({}) }, { headers }), rows.credit);
  });

  test("a refusal costs nothing, leaves nothing, and has the headers of every answer", async () => {
    const { account, device } = await shop(media.gateway, { credits: 5, rate: "50/s" });
    const body = { to: freshNumber(), from: device, Type: "media", url: put({ status: 404 }) };
    const reply = await account.send(body, { headers: { "X-Api-Revision": revision } });
    expectRefused(reply, rows.inaccessible);
    expect(reply.headers["x-api-revision"]).toBe(revision);
    expect(reply.headers["ratelimit"]).toBeDefined();
    expect(await media.gateway.json("message", "list", "--account", account.id)).toEqual([]);
    expect(await media.gateway.json("account", "show", account.id)).toMatchObject({ credit: 5 });
  });

  test("a repeat gets the first answer, without another look at the file", async () => {
    const url = put({});
    const fields = { url, to: freshNumber() };
    const headers = { "Idempotency-Key": `berkas-${freshNumber()}` };
    const first = await media.send(revision, fields, { headers });
    expectTaken(first);
    media.host.change(url, { status: 404 });
    const second = await media.send(revision, fields, { headers });
    expect(second.text).toBe(first.text);
    expect(media.host.heads(url)).toBe(1);
    expectRefused(await media.send(revision, { url }, { headers }), rows.reused);
  });
});

test("one address is probed once for many sends, whatever their revision", async () => {
  const url = media.host.put({ content: gif, type: "image/gif" });
  const replies = await Promise.all(
    Array.from({ length: 40 }, (_, index) => media.send(index % 2 ? "B" : "A", { url })),
  );
  replies.forEach((reply, index) => {
    if (index % 2) expectRefused(reply, rows.mimeType);
    else expectAccepted(reply);
  });
  expect(media.host.heads(url)).toBe(1);
  expect(media.host.looks(url)).toBeLessThanOrEqual(1);
});

test("texts and the files of other hosts do not wait for a host that hangs", async () => {
  const url = () => media.host.put({ hang: true });
  const hanging = Array.from({ length: 30 }, () => media.send("A", { url: url() }));
  const start = Date.now();
  const body = { to: freshNumber(), from: media.device, message: "kenari", Type: "text" };
  expectAccepted(await media.account.send(body));
  expect(Date.now() - start).toBeLessThan(2000);
  for (const reply of await Promise.all(hanging)) expectAccepted(reply);
});

test("a client that goes away during a probe harms nobody", async () => {
  const url = () => media.host.put({ hang: true });
  const gone = Array.from({ length: 5 }, () =>
    expect(media.send("A", { url: url() }, { deadline: 300 })).rejects.toThrow("not within"),
  );
  await Promise.all(gone);
  expectAccepted(await media.send("A", { url: media.host.put({ content: png }) }));
});

test("a gateway that stops during a probe answers or closes, and exits cleanly", async () => {
  const other = await MediaShop.open();
  try {
    const url = other.host.put({ hang: true });
    const asked = other.send("A", { url }).then(
      (reply) => reply.status,
      () => "closed",
    );
    await expect.poll(() => other.host.heads(url)).toBe(1);
    const start = Date.now();
    expect(await other.gateway.stop()).toBe(0);
    expect(Date.now() - start).toBeLessThan(10_000);
    expect([200, 500, 503, "closed"]).toContain(await asked);
  } finally {
    await other.close();
  }
});
