// Small real files of several types, and bytes of no type.
import { createHash, randomBytes } from "node:crypto";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

const base64 = (text: string) => Buffer.from(text, "base64");

/** One pixel each. */
export const png = base64(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5E" +
    "rkJggg==",
);
export const gif = base64("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7");
export const jpeg = base64(
  "/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////" +
    "////////////////////////////wgALCAABAAEBAREA/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPxA=",
);

export const pdf = Buffer.from(
  "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Count 0/Kids[]>>" +
    "endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n",
);
export const html = Buffer.from("<!DOCTYPE html>\n<html><head><title>x</title></head></html>\n");

/** The first page of an Ogg stream whose codec is Opus. */
export const opus = Buffer.concat([
  Buffer.from("OggS\0\x02\0\0\0\0\0\0\0\0", "latin1"),
  Buffer.from([1, 2, 3, 4, 0, 0, 0, 0, 0, 0, 0, 0, 1, 19]),
  Buffer.from("OpusHead\x01\x02\0\0\x80\xbb\0\0\0\0\0", "latin1"),
]);

/** The first boxes of an MP4 file. */
export const mp4 = Buffer.concat([
  Buffer.from("\0\0\0\x20ftypisom\0\0\x02\0isomiso2avc1mp41", "latin1"),
  Buffer.from("\0\0\0\x08free\0\0\0\x08mdat", "latin1"),
]);

/** Eight MiB of zeros in eight KiB. */
export const bomb = gzipSync(Buffer.alloc(8 * 1024 * 1024));

/** Bytes without a signature, so that only the declared type is known. */
export function shapeless(bytes: number): Buffer {
  return Buffer.alloc(bytes, "918f0002a3d5b7", "hex");
}

/** A unique PNG of this size: random bytes follow the end of the picture. */
export function bigPng(bytes: number): Buffer {
  return Buffer.concat([png, randomBytes(Math.max(0, bytes - png.length))]).subarray(0, bytes);
}

export function sha256(content: Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}

/** The size of all files in a folder, which other processes may change meanwhile. */
export const bytesIn = (folder: string): number =>
  readdirSync(folder, { encoding: "utf8", recursive: true }).reduce((sum, name) => {
    const file = statSync(join(folder, name), { throwIfNoEntry: false });
    return sum + (file?.isFile() ? file.size : 0);
  }, 0);
