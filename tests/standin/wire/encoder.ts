// Encodes nodes to bytes.
import { doubles, singles } from "./dictionary.ts";
import { parseJid, type Jid } from "./jid.ts";
import type { Content, Node } from "./node.ts";
import { domains, packedMax, packings, tags } from "./tags.ts";

const words = new Map<string, Uint8Array>();
singles.forEach((word, place) => words.set(word, Uint8Array.of(place + 1)));
doubles.forEach((list, number) =>
  list.forEach((word, place) => words.set(word, Uint8Array.of(tags.dictionary + number, place))),
);

/** Encodes a node, after a byte that says that it is not compressed. */
export function encodeNode(root: Node): Buffer {
  const encoder = new Encoder();
  encoder.raw(0);
  encoder.node(root);
  return encoder.finish();
}

class Encoder {
  private readonly pieces: Uint8Array[] = [];

  finish(): Buffer {
    return Buffer.concat(this.pieces);
  }

  raw(...bytes: number[]): void {
    this.pieces.push(Uint8Array.from(bytes));
  }

  node({ tag, attrs, content }: Node): void {
    const pairs = Object.entries(attrs);
    this.list(1 + 2 * pairs.length + (content === undefined ? 0 : 1));
    this.text(tag);
    for (const [name, value] of pairs) {
      this.text(name);
      this.text(value);
    }
    if (content !== undefined) this.content(content);
  }

  private content(content: Content): void {
    if (typeof content === "string") this.text(content);
    else if (content instanceof Uint8Array) this.bytes(content);
    else {
      this.list(content.length);
      for (const inside of content) this.node(inside);
    }
  }

  private list(length: number): void {
    if (length === 0) this.raw(tags.empty);
    else if (length < 0x100) this.raw(tags.list8, length);
    else if (length < 0x10000) this.raw(tags.list16, length >> 8, length & 0xff);
    else throw new RangeError(`a list of ${length} nodes`);
  }

  private text(text: string): void {
    const word = words.get(text);
    const jid = parseJid(text);
    if (word) this.pieces.push(word);
    else if (jid) this.jid(jid);
    else if (!this.packed(text)) this.bytes(Buffer.from(text));
  }

  private jid({ user, device, server }: Jid): void {
    const domain = domains[server];
    if (device !== 0 && domain !== undefined) {
      this.raw(tags.deviceJid, domain, device);
      this.text(user);
    } else {
      this.raw(tags.jid);
      if (user === "") this.raw(tags.empty);
      else this.text(user);
      this.text(server);
    }
  }

  /** Writes two characters a byte, if all of them are digits of one packing. */
  private packed(text: string): boolean {
    if (text === "" || text.length > packedMax) return false;
    const packing = packings.find(({ digits }) => [...text].every((c) => digits.includes(c)));
    if (!packing) return false;
    const odd = text.length % 2;
    const values = [...text].map((character) => packing.digits.indexOf(character));
    if (odd) values.push(15);
    this.raw(packing.tag, (odd << 7) | (values.length / 2));
    for (let at = 0; at < values.length; at += 2) {
      this.raw(((values[at] ?? 0) << 4) | (values[at + 1] ?? 0));
    }
    return true;
  }

  private bytes(bytes: Uint8Array): void {
    const length = bytes.length;
    if (length < 0x100) this.raw(tags.bytes8, length);
    else if (length < 0x100000) {
      this.raw(tags.bytes20, length >> 16, (length >> 8) & 0xff, length & 0xff);
    } else {
      const head = Buffer.alloc(5);
      head[0] = tags.bytes32;
      head.writeUInt32BE(length, 1);
      this.pieces.push(head);
    }
    this.pieces.push(bytes);
  }
}
