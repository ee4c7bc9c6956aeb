// The part of Protocol Buffers that the server needs: writing and reading fields by number. Callers
// know the schema.
import { ProtocolError } from "./node.ts";

export type Value = number | boolean | string | Uint8Array;

/** Encodes a message; an array repeats the field, `undefined` leaves it out. */
export function message(fields: Record<number, Value | Value[] | undefined>): Buffer {
  const pieces: Uint8Array[] = [];
  for (const [number, value] of Object.entries(fields)) {
    for (const each of Array.isArray(value) ? value : value === undefined ? [] : [value]) {
      pieces.push(field(Number(number), each));
    }
  }
  return Buffer.concat(pieces);
}

function field(number: number, value: Value): Buffer {
  if (typeof value === "number" || typeof value === "boolean") {
    return Buffer.concat([varint(number << 3), varint(Number(value))]);
  }
  const bytes = typeof value === "string" ? Buffer.from(value) : value;
  return Buffer.concat([varint((number << 3) | 2), varint(bytes.length), bytes]);
}

export function varint(value: number): Buffer {
  const bytes: number[] = [];
  let left = BigInt(value);
  while (left > 127n) {
    bytes.push(Number(left & 127n) | 128);
    left >>= 7n;
  }
  return Buffer.from([...bytes, Number(left)]);
}

/** The fields of a message by number. For a repeated field the accessors return the last value. */
export class Message {
  private readonly fields = new Map<number, (bigint | Buffer)[]>();

  constructor(data: Uint8Array) {
    const reader = new Reader(Buffer.from(data));
    while (!reader.atEnd) {
      const key = Number(reader.varint());
      const list = this.fields.get(key >> 3) ?? [];
      list.push(reader.value(key & 7));
      this.fields.set(key >> 3, list);
    }
  }

  has(number: number): boolean {
    return this.fields.has(number);
  }

  number(number: number): number | undefined {
    const value = this.fields.get(number)?.at(-1);
    return typeof value === "bigint" ? Number(value) : undefined;
  }

  bytes(number: number): Buffer | undefined {
    const value = this.fields.get(number)?.at(-1);
    return typeof value === "bigint" ? undefined : value;
  }

  text(number: number): string | undefined {
    return this.bytes(number)?.toString("utf8");
  }

  message(number: number): Message | undefined {
    const value = this.bytes(number);
    return value && new Message(value);
  }

  /** The bytes of a required field; throws if it is missing. */
  need(number: number): Buffer {
    const value = this.bytes(number);
    if (!value) throw new ProtocolError(`a message lacks field ${number}`);
    return value;
  }
}

class Reader {
  private at = 0;

  constructor(private readonly data: Buffer) {}

  get atEnd(): boolean {
    return this.at === this.data.length;
  }

  varint(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.take(1).readUInt8();
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
    throw new ProtocolError("a number of more than ten bytes");
  }

  value(wireType: number): bigint | Buffer {
    if (wireType === 0) return this.varint();
    if (wireType === 1) return this.take(8);
    if (wireType === 2) return this.take(Number(this.varint()));
    if (wireType === 5) return this.take(4);
    throw new ProtocolError(`wire type ${wireType}`);
  }

  private take(length: number): Buffer {
    if (length > this.data.length - this.at) {
      throw new ProtocolError("a message that is cut short");
    }
    this.at += length;
    return this.data.subarray(this.at - length, this.at);
  }
}
