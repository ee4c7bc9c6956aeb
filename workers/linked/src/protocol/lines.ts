// Lines of the connector protocol: UTF-8, one JSON object each, of limited length.

export type Line = Record<string, unknown>;

export const LINE_BYTES_MAX = 1_048_576;

/// Splits bytes into lines. Throws on a line that is too long, not UTF-8 or not a JSON object. The
/// connection cannot continue then.
export class LineReader {
  private parts: Buffer[] = [];
  private length = 0;
  private readonly decoder = new TextDecoder("utf-8", { fatal: true });

  constructor(private readonly bytesMax = LINE_BYTES_MAX) {}

  push(chunk: Buffer): Line[] {
    const lines: Line[] = [];
    let begin = 0;
    for (;;) {
      const end = chunk.indexOf(0x0a, begin);
      const part = chunk.subarray(begin, end < 0 ? chunk.length : end);
      this.length += part.length;
      if (this.length + 1 > this.bytesMax) {
        throw new Error("a line is too long");
      }
      if (part.length > 0) {
        this.parts.push(part);
      }
      if (end < 0) {
        return lines;
      }
      lines.push(this.decode());
      begin = end + 1;
    }
  }

  private decode(): Line {
    const bytes = this.parts.length === 1 ? this.parts[0]! : Buffer.concat(this.parts);
    this.parts = [];
    this.length = 0;
    const value: unknown = JSON.parse(this.decoder.decode(bytes));
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      throw new Error("a line is no JSON object");
    }
    return value as Line;
  }
}

/// Throws if the line would be too long.
export function encodeLine(line: Line, bytesMax = LINE_BYTES_MAX): Buffer {
  const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
  if (bytes.length > bytesMax) {
    throw new Error("a line is too long");
  }
  return bytes;
}
