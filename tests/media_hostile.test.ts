// Hostile media hosts: none may make the gateway reach a private address, crash, or delay others.
import { createServer, type AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { certificates } from "./support/certificates.ts";
import { expectAccepted, expectRefused, expectSent, rows } from "./support/expect.ts";
import { bomb, html, png } from "./support/files.ts";
import { MediaServer, RawHost, type Behaviour } from "./support/media_server.ts";
import { MediaShop } from "./support/media_shop.ts";
import { freshNumber } from "./support/numbers.ts";

let media: MediaShop;
let raw: RawHost;
let forbidden: MediaServer; // On a loopback address that the gateway may not reach.

beforeAll(async () => {
  const settings = { "outbound.allow": ["127.0.0.1/32"], "media.max_bytes": 1024 * 1024 };
  media = await MediaShop.open({ settings });
  raw = await RawHost.open();
  forbidden = await MediaServer.open("127.0.0.2");
});
afterAll(async () => {
  await media.close();
  await Promise.all([raw.close(), forbidden.close()]);
});
afterEach(async () => {
  // After each hostile host the next file is sent.
  expect(await media.outcome({ url: media.host.put({ content: png }) })).toMatchObject({
    status: "sent",
  });
});

const ok = "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n";

/** Answers HEAD correctly, and other requests with the given behaviour. */
const body =
  (behaviour: Behaviour): Behaviour =>
  (socket, head) => {
    if (head.startsWith("HEAD")) socket.end(`${ok}Connection: close\r\n\r\n`);
    else behaviour(socket, head);
  };

/** Each character of text is one byte. */
const bytesOf = (text: string | Buffer) => Buffer.from(text as string, "latin1");

/** Writes as long as the other side reads. */
const forever =
  (start: string | Buffer, more: string | Buffer): Behaviour =>
  (socket) => {
    socket.write(bytesOf(start));
    const piece = bytesOf(more);
    const pour = () => {
      while (!socket.destroyed && socket.write(piece));
    };
    socket.on("drain", pour);
    pour();
  };

/** Writes one byte a second. */
const drip =
  (start: string, more: Buffer): Behaviour =>
  (socket) => {
    socket.write(bytesOf(start));
    let at = 0;
    const timer = setInterval(() => {
      socket.write(more.subarray(at, at + 1));
      at = (at + 1) % more.length;
    }, 1000);
    socket.on("close", () => clearInterval(timer));
  };

const once =
  (bytes: string | Buffer): Behaviour =>
  (socket) =>
    void socket.end(bytesOf(bytes));

const chunk = Buffer.alloc(32 * 1024, 0x61);
const pixel = png.toString("latin1");

describe.concurrent("a host", () => {
  test.each<[string, Behaviour]>([
    ["whose body never ends", body(forever(`${ok}\r\n${pixel}`, chunk))],
    [
      "whose chunks never end",
      body(
        forever(
          `${ok}Transfer-Encoding: chunked\r\n\r\n8\r\n${pixel.slice(0, 8)}\r\n`,
          `8000\r\n${chunk.toString("latin1")}\r\n`,
        ),
      ),
    ],
    ["whose headers never end", forever(ok, `X-Filler: ${"y".repeat(1000)}\r\n`)],
    ["whose one header never ends", forever(`${ok}X-Filler: `, chunk)],
    ["whose status line never ends", forever("HTTP/1.1 200 ", chunk)],
    ["that continues forever", forever("", "HTTP/1.1 100 Continue\r\n\r\n")],
    ["whose body comes at a byte a second", body(drip(`${ok}Content-Length: 60\r\n\r\n`, png))],
    ["whose headers come at a byte a second", drip("", Buffer.from(ok))],
    ["that promises more than it has", body(once(`${ok}Content-Length: 4000\r\n\r\n${pixel}`))],
    ["that promises a negative length", body(once(`${ok}Content-Length: -1\r\n\r\n${pixel}`))],
    [
      "that promises two lengths",
      body(once(`${ok}Content-Length: 67\r\nContent-Length: 70\r\n\r\n${pixel}`)),
    ],
    [
      "whose chunks are nonsense",
      body(once(`${ok}Transfer-Encoding: chunked\r\n\r\nxyz\r\n${pixel}\r\n0\r\n\r\n`)),
    ],
    [
      "whose chunk is larger than any number",
      body(once(`${ok}Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n${pixel}`)),
    ],
    ["that speaks another protocol", once("SSH-2.0-OpenSSH_9.2\r\n")],
    ["that closes without a word", (socket) => void socket.destroy()],
    ["that answers with zeros", forever("", Buffer.alloc(32 * 1024))],
  ])("%s: the file is failed with 500", async (_, behaviour) => {
    const to = freshNumber();
    const outcome = await media.outcome({ url: raw.on(behaviour), to }, 50_000);
    expect(outcome).toMatchObject({ type: "media", status: "failed", code: 500 });
    expect(outcome.details).not.toBe("");
    expect(media.gateway.simulator.to(to)).toEqual([]);
  });

  test("that has more than it promised is taken at its word", async () => {
    const to = freshNumber();
    const content = Buffer.concat([png, Buffer.from("more")]).toString("latin1");
    const answer = Buffer.from(`${ok}Content-Length: ${png.length}\r\n\r\n${content}`, "latin1");
    expectAccepted(await media.send("A", { url: raw.on(body(once(answer))), to }));
    expect((await media.gateway.simulator.attemptTo(to)).media).toMatchObject({
      bytes: png.length,
    });
  });

  test.each([
    ["Content-Encoding: gzip", bomb],
    ["Content-Encoding: gzip", gzipSync(png)],
    ["Content-Encoding: deflate, gzip, gzip", bomb],
  ])("with %s: nothing is decompressed, and gzip is no picture", async (header, content) => {
    const [name, value] = header.split(": ") as [string, string];
    const url = media.host.put({ content, headers: { [name]: value } });
    expectRefused(await media.send("A", { url }), rows.fileType);
    expectRefused(await media.send("B", { url }), rows.fileType);
    const encodings = media.host.requests(url).map(({ headers }) => headers["accept-encoding"]);
    expect(encodings.filter((encoding) => encoding && encoding !== "identity")).toEqual([]);
  });
});

describe.concurrent("a redirect", () => {
  const places: [string, (port: number) => string][] = [
    ["a loopback address outside the range", (port) => `http://127.0.0.2:${port}/a.png`],
    ["that address as one number", (port) => `http://2130706434:${port}/a.png`],
    ["that address in octal", (port) => `http://0177.0.0.2:${port}/a.png`],
    ["that address as IPv6", (port) => `http://[::ffff:127.0.0.2]:${port}/a.png`],
    ["that address in hexadecimal IPv6", (port) => `http://[::ffff:7f00:2]:${port}/a.png`],
    ["IPv6 loopback", (port) => `http://[::1]:${port}/a.png`],
    ["a metadata service", () => "http://169.254.169.254/latest/meta-data/"],
    ["a private range", () => "http://10.0.0.1/a.png"],
    ["no address", () => "http://0.0.0.0/a.png"],
    ["a file", () => "file:///etc/passwd"],
    ["another protocol", () => "gopher://127.0.0.1/a"],
    ["nowhere", () => ""],
    ["an address with a password", (port) => `http://a:b@127.0.0.2:${port}/a.png`],
  ];

  test.each(places)("to %s is not followed: 500", async (_, place) => {
    const url = media.host.redirect(place(forbidden.port));
    const to = freshNumber();
    const [outcome, reply] = await Promise.all([
      media.outcome({ url, to }),
      media.send("B", { url }),
    ]);
    expect(outcome).toMatchObject({ status: "failed", code: 500 });
    expect(outcome.details).not.toMatch(/127\.|169\.|::/);
    expectRefused(reply, rows.failed);
    expect(media.gateway.simulator.to(to)).toEqual([]);
    expect(forbidden.connections).toBe(0);
  });

  test("after acceptance is judged again", async () => {
    const url = media.host.put({ content: png });
    const outcome = media.outcome({ url, delay: 2 });
    await media.host.accepted(url);
    media.host.change(url, {
      status: 302,
      headers: { location: `http://127.0.0.2:${forbidden.port}/a.png` },
    });
    expect(await outcome).toMatchObject({ status: "failed", code: 500 });
    expect(forbidden.connections).toBe(0);
  });

  test("in a circle ends: 500", async () => {
    const url = media.host.put({});
    media.host.change(url, { status: 302, headers: { location: url } });
    expect(await media.outcome({ url })).toMatchObject({ status: "failed", code: 500 });
    expect(media.host.requests(url).length).toBeLessThan(40);
  });

  test("with a page of its own leads on to the file", async () => {
    const file = media.host.put({ content: png });
    const headers = { location: file };
    const url = media.host.put({ status: 302, headers, content: html, type: "text/html" });
    expectSent(await media.send("B", { url }));
  });
});

test("a proxy in the environment is not used", async () => {
  let connections = 0;
  const proxy = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const lower = ["http_proxy", "https_proxy", "all_proxy"];
  const names = [...lower, ...lower.map((name) => name.toUpperCase())];
  const environment = Object.fromEntries(names.map((name) => [name, address]));
  const other = await MediaShop.open({ environment: { ...environment, no_proxy: "" } });
  try {
    expectSent(await other.send("B", { url: other.host.put({ content: png }) }));
    expect(connections).toBe(0);
  } finally {
    await other.close();
    proxy.close();
  }
});

test("an https host must prove its name", async () => {
  const secure = await MediaServer.open("127.0.0.1", true);
  const trusting = await MediaShop.open({
    settings: { "outbound.ca_file": certificates().caFile },
  });
  try {
    const url = secure.put({ content: png });
    expectSent(await trusting.send("B", { url }));
    const fetched = secure.requests(url).length;
    expectRefused(await media.send("B", { url }), rows.failed);
    expect(secure.requests(url)).toHaveLength(fetched);
  } finally {
    await trusting.close();
    await secure.close();
  }
});
