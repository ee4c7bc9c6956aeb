// Reads the fields of a request. A field that is missing or out of bounds throws `invalid`.
import { ProtocolError } from "./errors.js";
import type { Line } from "./lines.js";

function invalid(name: string): ProtocolError {
  return new ProtocolError("invalid", `field ${name}`);
}

export function text(line: Line, name: string, lengthMax: number): string {
  const value = line[name];
  if (typeof value !== "string" || value.length > lengthMax) {
    throw invalid(name);
  }
  return value;
}

export function optionalText(line: Line, name: string, lengthMax: number): string | undefined {
  return line[name] === undefined || line[name] === null ? undefined : text(line, name, lengthMax);
}

/// A number in international form, without "+".
export function digits(line: Line, name: string): string {
  const value = text(line, name, 20);
  if (!/^[0-9]{1,20}$/.test(value)) {
    throw invalid(name);
  }
  return value;
}

export function whole(line: Line, name: string, min: number, max: number): number {
  const value = line[name];
  if (typeof value !== "number" || !Number.isInteger(value) || value < min || value > max) {
    throw invalid(name);
  }
  return value;
}

export function optionalWhole(
  line: Line,
  name: string,
  min: number,
  max: number,
): number | undefined {
  return line[name] === undefined || line[name] === null ? undefined : whole(line, name, min, max);
}

export function absolutePath(line: Line, name: string): string {
  const value = text(line, name, 4096);
  if (!value.startsWith("/") || value.includes("\0")) {
    throw invalid(name);
  }
  return value;
}

export function nested(line: Line, name: string): Line {
  const value = line[name];
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw invalid(name);
  }
  return value as Line;
}
