// Decodes bytes to nodes. Throws if they are truncated, nested too deep, or use an unknown word.
import { inflateSync } from "node:zlib";
import { doubles, singles } from "./dictionary.ts";
import { formatJid } from "./jid.ts";
import { ProtocolError, type Attributes, type Content, type Node } from "./node.ts";
import { domains, packings, tags } from "./tags.ts";

const depthMax = 32;
const inflatedMax = 16 * 1024 * 1024;
const compressed = 2;

export function decodeNode(data: Uint8Array): Node {
  const flags = data[0];
  if (flags === undefined) throw new ProtocolError("an empty frame");
  const body = data.subarray(1);
  const plain = flags & compressed ? inflateSync(body, { maxOutputLength: inflatedMax }) : body;
  const decoder = new Decoder(Buffer.from(plain.buffer, plain.byteOffset, plain.length));
  const root = decoder.node(0);
  decoder.end();
  return root;
}

class Decoder {
  private at = 0;

  constructor(private readonly data: Buffer) {}

  end(): void {
    const left = this.data.length - this.at;
    if (left > 0) throw new ProtocolError(`${left} bytes after the node`);
  }

  node(depth: number): Node {
    if (depth > depthMax) throw new ProtocolError("nodes nested too deep");
    const length = this.listLength(this.byte());
    if (length === 0) throw new ProtocolError("a node without a tag");
    const tag = this.text(this.byte());
    const attrs: Attributes = {};
    for (let pair = 0; pair < (length - 1) >> 1; pair++) {
      const name = this.text(this.byte());
      attrs[name] = this.text(this.byte());
    }
    if (length % 2 === 1) return { tag, attrs };
    return { tag, attrs, content: this.content(depth) };
  }

  private content(depth: number): Content {
    const tag = this.byte();
    if (isList(tag)) {
      const length = this.listLength(tag);
      return Array.from({ length }, () => this.node(depth + 1));
    }
    return isBytes(tag) ? this.take(this.bytesLength(tag)) : this.text(tag);
  }

  private text(tag: number): string {
    const single = singles[tag - 1];
    if (single !== undefined) return single;
    if (tag >= tags.dictionary && tag < tags.dictionary + doubles.length) {
      const word = doubles[tag - tags.dictionary]?.[this.byte()];
      if (word === undefined) throw new ProtocolError("a word outside the dictionary");
      return word;
    }
    if (isBytes(tag)) return this.take(this.bytesLength(tag)).toString("utf8");
    if (tag === tags.empty) return "";
    if (tag === tags.jid) return this.jid();
    if (tag === tags.deviceJid) return this.deviceJid();
    const packing = packings.find((candidate) => candidate.tag === tag);
    if (packing) return this.packed(packing.digits);
    throw new ProtocolError(`no text begins with ${tag}`);
  }

  private jid(): string {
    const user = this.text(this.byte());
    return `${user}@${this.text(this.byte())}`;
  }

  private deviceJid(): string {
    const domain = this.byte();
    const device = this.byte();
    const server = Object.entries(domains).find(([, number]) => number === domain)?.[0];
    if (server === undefined) throw new ProtocolError(`no server is number ${domain}`);
    return formatJid(this.text(this.byte()), device, server);
  }

  private packed(digits: string): string {
    const head = this.byte();
    let text = "";
    for (const byte of this.take(head & 0x7f)) {
      for (const value of [byte >> 4, byte & 15]) text += digits[value] ?? "";
    }
    const expected = 2 * (head & 0x7f) - (head >> 7);
    if (text.length < expected) throw new ProtocolError("a packed text with a wrong digit");
    return text.slice(0, expected);
  }

  private listLength(tag: number): number {
    if (tag === tags.empty) return 0;
    if (tag === tags.list8) return this.byte();
    if (tag === tags.list16) return this.take(2).readUInt16BE();
    throw new ProtocolError(`no list begins with ${tag}`);
  }

  private bytesLength(tag: number): number {
    if (tag === tags.bytes8) return this.byte();
    if (tag === tags.bytes20) return this.take(3).readUIntBE(0, 3) & 0xfffff;
    return this.take(4).readUInt32BE();
  }

  private byte(): number {
    return this.take(1).readUInt8();
  }

  private take(length: number): Buffer {
    if (this.at + length > this.data.length) throw new ProtocolError("a node that is cut short");
    const piece = this.data.subarray(this.at, this.at + length);
    this.at += length;
    return piece;
  }
}

function isList(tag: number): boolean {
  return tag === tags.empty || tag === tags.list8 || tag === tags.list16;
}

function isBytes(tag: number): boolean {
  return tag === tags.bytes8 || tag === tags.bytes20 || tag === tags.bytes32;
}
