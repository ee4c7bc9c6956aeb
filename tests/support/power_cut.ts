// Power cuts: a gateway is killed, and a random part of what it has not synced is undone.
import {
  closeSync,
  existsSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import type { Gateway } from "./gateway.ts";
import { preloaded } from "./preloaded.ts";

const SECTOR_BYTES = 512; // What a disk writes as a whole.
const HEADER_BYTES = 40;

/** The environment of a gateway whose power can be cut. */
export const cuttablePower = () => preloaded("power_cut");

interface Write {
  offset: number;
  size: number; // Of the file, before it.
  changed: number; // How many bytes were written, or cut off.
  truncated: boolean;
  bytes: Buffer; // Those that were there.
}

/** Kills a gateway with `cuttablePower`. Resolves with the number of sectors that are lost. */
export async function cutPower(gateway: Gateway): Promise<number> {
  await gateway.kill();
  const records = readdirSync(gateway.folder).filter((name) => name.endsWith(".unsynced"));
  let lost = 0;
  for (const name of records) {
    const record = join(gateway.folder, name);
    const file = record.slice(0, -".unsynced".length);
    if (existsSync(file)) lost += undo(file, read(readFileSync(record)));
    rmSync(record);
  }
  return lost;
}

/** Without a record that the kill cut off: its write was not made. */
function read(record: Buffer): Write[] {
  const writes: Write[] = [];
  for (let at = 0; at + HEADER_BYTES <= record.length; ) {
    const field = (index: number) => Number(record.readBigUInt64LE(at + 8 * index));
    const end = at + HEADER_BYTES + field(1);
    const bytes = record.subarray(at + HEADER_BYTES, end);
    if (end <= record.length) {
      const truncated = field(4) === 1;
      writes.push({ offset: field(0), size: field(2), changed: field(3), truncated, bytes });
    }
    at = end;
  }
  return writes;
}

/** A disk may have written any sectors, in any order: of all, of none, or of some. */
function undo(file: string, writes: Write[]): number {
  const share = [0, 0.5, 1][Math.floor(Math.random() * 3)]!;
  const store = openSync(file, "r+");
  let lost = 0;
  for (const { offset, size, changed, truncated, bytes } of writes.reverse()) {
    if (truncated) {
      if (Math.random() < share) writeSync(store, bytes, 0, bytes.length, offset);
      continue;
    }
    const before = Buffer.alloc(changed); // Behind the file's end there are zeros.
    bytes.copy(before);
    for (let from = 0; from < changed; from += SECTOR_BYTES) {
      if (Math.random() >= share) continue;
      writeSync(store, before, from, Math.min(SECTOR_BYTES, changed - from), offset + from);
      lost += 1;
    }
    if (share === 1) ftruncateSync(store, size);
  }
  closeSync(store);
  return lost;
}
