// Checks for values in files of another program. Every value is checked before it is kept, and
// unknown fields are dropped.

/// The value has a wrong form. The message names the expected form, never the value.
export class Unusable extends Error {}

/// Returns the value in the form to keep. Errors: throws Unusable.
export type Check<T> = (value: unknown) => T;

type Shape = Record<string, Check<unknown>>;

/// Bytes, in any form that a version of Baileys has written, or as protobuf writes them (Base64).
export function bytes(shortest: number, longest = shortest): Check<Buffer> {
  return (value) => {
    const found = bytesOf(value);
    if (!found || found.length < shortest || found.length > longest) {
      throw new Unusable("bytes");
    }
    return found;
  };
}

/// Bytes that are kept as Base64, as in protobuf's JSON.
export function encodedBytes(shortest: number, longest = shortest): Check<string> {
  const check = bytes(shortest, longest);
  return (value) => check(value).toString("base64");
}

export function text(pattern: RegExp, longest = 256): Check<string> {
  return (value) => {
    if (typeof value !== "string" || value.length > longest || !pattern.test(value)) {
      throw new Unusable("a text");
    }
    return value;
  };
}

export const base64 = text(/^[A-Za-z0-9+/]*={0,2}$/, 256);
export const anyText = text(/^[^\0]*$/, 1024);

export function whole(lowest: number, highest: number): Check<number> {
  return (value) => {
    if (!Number.isSafeInteger(value) || Number(value) < lowest || Number(value) > highest) {
      throw new Unusable("a whole number");
    }
    return value as number;
  };
}

export const flag: Check<boolean> = (value) => {
  if (typeof value !== "boolean") {
    throw new Unusable("true or false");
  }
  return value;
};

/// Drops a field that is missing or null.
export function optional<T>(check: Check<T>): Check<T | undefined> {
  return (value) => (value === undefined || value === null ? undefined : check(value));
}

/// An object with these fields; other fields are dropped.
export function fields<S extends Shape>(shape: S): Check<{ [F in keyof S]: ReturnType<S[F]> }> {
  return (value) => {
    const object = objectOf(value);
    const kept = Object.entries(shape).map(([name, check]) => {
      const field = Object.hasOwn(object, name) ? object[name] : undefined;
      return [name, check(field)];
    });
    return Object.fromEntries(kept.filter(([, field]) => field !== undefined)) as never;
  };
}

/// An object with at most `most` values that pass `check`, under names that match `name`.
export function entries<T>(
  name: RegExp,
  check: Check<T>,
  most: number,
): Check<Record<string, T>> {
  return (value) => {
    const found = Object.entries(objectOf(value));
    if (found.length > most || !found.every(([key]) => key.length <= 128 && name.test(key))) {
      throw new Unusable("an object");
    }
    return Object.fromEntries(found.map(([key, item]) => [key, check(item)]));
  };
}

export function list<T>(check: Check<T>, most: number): Check<T[]> {
  return (value) => {
    if (!Array.isArray(value) || value.length > most) {
      throw new Unusable("a list");
    }
    return value.map((item) => check(item));
  };
}

function objectOf(value: unknown): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new Unusable("an object");
  }
  return value as Record<string, unknown>;
}

function bytesOf(value: unknown): Buffer | undefined {
  if (typeof value === "string") {
    return fromBase64(value);
  }
  if (typeof value !== "object" || value === null) {
    return undefined;
  }
  const object = value as Record<string, unknown>;
  if (object["type"] === "Buffer" || object["buffer"] === true) {
    const data = object["data"] ?? object["value"] ?? [];
    return typeof data === "string" ? fromBase64(data) : fromNumbers(data);
  }
  // A Uint8Array as JSON writes it: {"0":7,"1":255}.
  const names = Object.keys(object);
  return names.every((name, index) => name === String(index))
    ? fromNumbers(Object.values(object))
    : undefined;
}

function fromBase64(value: string): Buffer | undefined {
  return /^[A-Za-z0-9+/]*={0,2}$/.test(value) ? Buffer.from(value, "base64") : undefined;
}

function fromNumbers(value: unknown): Buffer | undefined {
  const isByte = (item: unknown): boolean =>
    Number.isInteger(item) && Number(item) >= 0 && Number(item) <= 255;
  return Array.isArray(value) && value.every(isByte) ? Buffer.from(value) : undefined;
}

/// JSON as Baileys and the worker read it.
export function toText(value: unknown): string {
  return JSON.stringify(value, (_name, item: { type?: unknown; data?: unknown } | null) =>
    item?.type === "Buffer" && Array.isArray(item.data)
      ? { type: "Buffer", data: Buffer.from(item.data as number[]).toString("base64") }
      : item,
  );
}
