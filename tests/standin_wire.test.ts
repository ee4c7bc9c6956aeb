// The stand-in's codec, signatures and handshake, compared with the clients' own if they have one.
import { Curve, decodeBinaryNode, encodeBinaryNode } from "./standin/testing/baileys.ts";
import { createHash, randomBytes } from "node:crypto";
import { deflateSync } from "node:zlib";
import { expect, test } from "vitest";
import { makeKeyPair } from "./standin/crypto/curve.ts";
import { sign, verify } from "./standin/crypto/xeddsa.ts";
import { decodeNode } from "./standin/wire/decoder.ts";
import { encodeNode } from "./standin/wire/encoder.ts";
import { frame, FrameReader, introduction } from "./standin/wire/frames.ts";
import { node, type Node } from "./standin/wire/node.ts";
import { Message, message } from "./standin/wire/protobuf.ts";

const nodes: Record<string, Node> = {
  "words of one and two bytes": node("iq", { type: "get", xmlns: "w:p" }, [node("ping")]),
  addresses: node("message", {
    to: "628111000001@s.whatsapp.net",
    from: "628111000001:12@s.whatsapp.net",
    recipient: "100000000007919:3@lid",
    participant: "@s.whatsapp.net",
  }),
  "packed digits": node("ack", { id: "3EB0C767D26A1D2E", t: "1700000000", v: "1.2-3", count: "7" }),
  "texts of others": node("presence", { name: "Toko Maju – a@b", empty: "" }),
  "bytes of all lengths": node("a", {}, [
    node("b", {}, randomBytes(0)),
    node("b", {}, randomBytes(255)),
    node("b", {}, randomBytes(256)),
    node("b", {}, randomBytes(1 << 20)),
  ]),
  "lists of all lengths": node("a", {}, [
    node("b", {}, []),
    node(
      "b",
      {},
      Array.from({ length: 255 }, (_, at) => node("c", { id: String(at) })),
    ),
    node(
      "b",
      {},
      Array.from({ length: 256 }, () => node("c")),
    ),
  ]),
};

test.each(Object.entries(nodes))("%s survive the way there and back", async (_, original) => {
  const data = encodeNode(original);
  const expected = comparable(original);
  expect(comparable(decodeNode(data))).toEqual(expected);
  expect(comparable((await decodeBinaryNode(data)) as Node)).toEqual(expected);
  expect(comparable(decodeNode(encodeBinaryNode(original)))).toEqual(expected);
});

test("compressed nodes are read, and damaged ones refused", () => {
  const original = node("iq", { id: "1" }, [node("ping")]);
  const data = encodeNode(original);
  const packed = Buffer.concat([Buffer.of(2), deflateSync(data.subarray(1))]);
  expect(decodeNode(packed)).toEqual(original);
  for (let length = 0; length < data.length; length++) {
    expect(() => decodeNode(data.subarray(0, length))).toThrow();
  }
  expect(() => decodeNode(Buffer.concat([data, Buffer.of(0)]))).toThrow("after the node");
});

test("frames are read from pieces of any length, after the introduction", () => {
  const sent = [randomBytes(5), randomBytes(70_000), Buffer.alloc(0)];
  const lengths = [5, 70_000, 0];
  const edge = Buffer.concat([Buffer.from("ED\0\x01\0\0\x02"), randomBytes(2)]);
  for (const before of [Buffer.alloc(0), edge]) {
    const stream = Buffer.concat([before, introduction, ...sent.map(frame)]);
    for (const length of [1_001, stream.length]) {
      const reader = new FrameReader();
      const read: Buffer[] = [];
      for (let at = 0; at < stream.length; at += length) {
        read.push(...reader.read(stream.subarray(at, at + length)));
      }
      expect(Buffer.concat(read).equals(Buffer.concat(sent))).toBe(true);
      expect(read.map((each) => each.length)).toEqual(lengths);
    }
  }
  expect(() => [...new FrameReader().read(Buffer.from("GET /"))]).toThrow("introduction");
});

test("fields of protocol buffers survive", () => {
  const inside = message({ 1: 300, 2: "teks", 20: Buffer.of(1, 2), 4: true, 5: undefined });
  const read = new Message(message({ 1: inside, 3: 2 ** 40 })).message(1);
  expect(read?.number(1)).toBe(300);
  expect(read?.text(2)).toBe("teks");
  expect(read?.bytes(20)).toEqual(Buffer.of(1, 2));
  expect(read?.number(4)).toBe(1);
  expect(read?.has(5)).toBe(false);
  expect(() => new Message(Buffer.of(10, 5, 0))).toThrow("cut short");
});

test("signatures of clients are verified, and nothing else is", () => {
  for (let round = 0; round < 8; round++) {
    const pair = Curve.generateKeyPair();
    const text = randomBytes(40);
    const made = Buffer.from(Curve.sign(pair.private, text));
    expect(verify(pair.public, text, made)).toBe(true);
    for (const at of [0, 31, 32, 62]) {
      const changed = Buffer.from(made);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(verify(pair.public, text, changed)).toBe(false);
    }
    expect(verify(pair.public, randomBytes(40), made)).toBe(false);
    expect(verify(Curve.generateKeyPair().public, text, made)).toBe(false);
    expect(verify(pair.public, text, Buffer.alloc(64))).toBe(false);
  }
});

test("signatures of the stand-in are those that others verify", async () => {
  // The curve below the clients' wrapper, because the wrapper ignores the curve's result.
  const { default: curve } = await import("./standin/testing/curve.ts");
  for (let round = 0; round < 8; round++) {
    const { privateKey, publicKey } = makeKeyPair();
    const text = randomBytes(40);
    const made = sign(privateKey, text);
    expect(verify(publicKey, text, made)).toBe(true);
    expect(curve.verify(publicKey, text, made)).toBe(true);
    expect(curve.verify(publicKey, randomBytes(40), made)).toBe(false);
  }
});

/** A node with a hash in place of its bytes. */
function comparable({ tag, attrs, content }: Node): unknown {
  if (Array.isArray(content)) return [tag, attrs, content.map(comparable)];
  const isBytes = content instanceof Uint8Array;
  return [tag, attrs, isBytes ? createHash("sha1").update(content).digest("hex") : content];
}
