// Reads a history of the phone piece by piece, and keeps only addresses and tokens of contacts.

/// One contact of a history. At least one of `lid` and `number` is present.
export interface HistoryContact {
  lid?: string;
  number?: string;
  /// The contact's privacy token, and when it was given, in seconds.
  token?: { bytes: Buffer; at: number; sentAt?: number };
}

/// Fields of the history, and of the messages in it: see `HistorySync` in WAProto.
const CHATS = 2;
const MAPPINGS = 15;
const CHAT = { id: 1, token: 21, at: 22, sentAt: 28, number: 39, lid: 42 };
const MAPPING = { number: 1, lid: 2 };

const KEPT_BYTES_MAX = 1_024; // Of one field.
const VARINT_BYTES_MAX = 10;

type Section = "chat" | "mapping";
type Values = Map<number, Buffer | number>;

/// What a field's head, or the whole field, means.
interface Field {
  end: number;
  /// Bytes after `end` that are not kept.
  skip?: number;
  /// The part that begins at `end`.
  enter?: { kind: Section; left: number };
}

/// Operation: give it the pieces of a history in their order; `push` returns the contacts that
/// became complete. Everything else is skipped as it comes, so that a long history costs no memory.
///
/// Errors: throws if it is no history.
export class HistoryReader {
  private rest: Buffer = Buffer.alloc(0);
  private skip = 0;
  private part: { kind: Section; left: number; values: Values } | undefined;

  *push(piece: Buffer): Generator<HistoryContact> {
    const data = this.rest.length > 0 ? Buffer.concat([this.rest, piece]) : piece;
    let at = 0;
    for (;;) {
      const skipped = Math.min(this.skip, data.length - at);
      this.skip -= skipped;
      this.pass(skipped);
      at += skipped;
      if (this.part?.left === 0) {
        yield* contactsOf(this.part.kind, this.part.values);
        this.part = undefined;
        continue;
      }
      const field = this.skip > 0 ? undefined : this.field(data, at);
      if (!field) {
        this.rest = Buffer.from(data.subarray(at));
        return;
      }
      this.pass(field.end - at);
      at = field.end;
      this.skip = field.skip ?? 0;
      if (field.enter) {
        this.part = { ...field.enter, values: new Map() };
      }
    }
  }

  /// Whether it ended between two fields.
  get isWhole(): boolean {
    return this.rest.length === 0 && this.skip === 0 && this.part === undefined;
  }

  private pass(bytes: number): void {
    if (this.part) {
      this.part.left -= bytes;
      if (this.part.left < 0) {
        throw new Error("this is no history");
      }
    }
  }

  /// Undefined: the field that begins at `from` is not complete yet.
  private field(data: Buffer, from: number): Field | undefined {
    const key = varint(data, from);
    if (!key) {
      return undefined;
    }
    const number = Math.floor(key.value / 8);
    switch (key.value % 8) {
      case 0: {
        const value = varint(data, key.end);
        if (value) {
          this.part?.values.set(number, value.value);
        }
        return value;
      }
      case 1:
        return { end: key.end, skip: 8 };
      case 2:
        return this.bytes(data, number, key.end);
      case 5:
        return { end: key.end, skip: 4 };
      default:
        throw new Error("this is no history");
    }
  }

  private bytes(data: Buffer, number: number, from: number): Field | undefined {
    const length = varint(data, from);
    if (!length) {
      return undefined;
    }
    const { end, value: left } = length;
    if (!this.part) {
      const kind = number === CHATS ? "chat" : number === MAPPINGS ? "mapping" : undefined;
      return kind ? { end, enter: { kind, left } } : { end, skip: left };
    }
    if (left > this.part.left) {
      throw new Error("this is no history");
    }
    const kept = this.part.kind === "chat" ? CHAT : MAPPING;
    if (!Object.values(kept).includes(number) || left > KEPT_BYTES_MAX) {
      return { end, skip: left };
    }
    if (data.length < end + left) {
      return undefined;
    }
    this.part.values.set(number, Buffer.from(data.subarray(end, end + left)));
    return { end: end + left };
  }
}

function* contactsOf(kind: Section, values: Values): Generator<HistoryContact> {
  const contact = kind === "chat" ? ofChat(values) : ofMapping(values);
  if (contact) {
    yield contact;
  }
}

function ofMapping(values: Values): HistoryContact | undefined {
  const lid = text(values, MAPPING.lid);
  const number = text(values, MAPPING.number);
  return lid && number ? { lid, number } : undefined;
}

function ofChat(values: Values): HistoryContact | undefined {
  const id = text(values, CHAT.id) ?? "";
  const lid = id.endsWith("@lid") ? id : text(values, CHAT.lid);
  const number = id.endsWith("@s.whatsapp.net") ? id : text(values, CHAT.number);
  if (!lid && !number) {
    return undefined;
  }
  const bytes = values.get(CHAT.token);
  const at = values.get(CHAT.at);
  const sentAt = values.get(CHAT.sentAt);
  const contact: HistoryContact = { ...(lid ? { lid } : {}), ...(number ? { number } : {}) };
  if (bytes instanceof Buffer && bytes.length > 0 && typeof at === "number" && at > 0) {
    contact.token = { bytes, at, ...(typeof sentAt === "number" ? { sentAt } : {}) };
  }
  return contact;
}

function text(values: Values, field: number): string | undefined {
  const value = values.get(field);
  return value instanceof Buffer ? value.toString() : undefined;
}

/// Undefined: it is not complete yet.
function varint(data: Buffer, from: number): { value: number; end: number } | undefined {
  let value = 0;
  for (let at = from, factor = 1; at < data.length; at++, factor *= 128) {
    if (at - from >= VARINT_BYTES_MAX) {
      throw new Error("this is no history");
    }
    const byte = data[at]!;
    value += (byte & 127) * factor;
    if (byte < 128) {
      return { value, end: at + 1 };
    }
  }
  return undefined;
}
