import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Agent } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { proto } from "baileys";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fetchMedia } from "../src/inbound/media_fetch.js";
import type { MediaReference } from "../src/inbound/media_reference.js";
import { uploadFile } from "../src/sending/upload.js";
import { settle } from "./support/manual_clock.js";
import { type StandIn, startStandIn } from "./support/stand_in.js";

const data = randomBytes(12_000_000); // More than the buffers of a connection hold.
let standIn: StandIn;
let folder: string;
let agent: Agent;
let reference: MediaReference;

beforeAll(async () => {
  standIn = await startStandIn();
  folder = mkdtempSync(join(tmpdir(), "linked-"));
  agent = new Agent({ ca: readFileSync(standIn.rootFile) });
  const path = join(folder, "sent");
  writeFileSync(path, data);
  const host = new URL(standIn.url).host;
  const hosts = async () => ({ auth: "", hosts: [{ hostname: host }] }) as never;
  const upload = { kind: "image" as const, path, url: pathToFileURL(path) };
  const { imageMessage } = proto.Message.decode(await uploadFile(upload, hosts, agent));
  reference = {
    kind: "image",
    mime: "image/jpeg",
    bytes: data.length,
    path: imageMessage!.directPath!,
    host,
    key: Buffer.from(imageMessage!.mediaKey!).toString("base64"),
    sha256: Buffer.from(imageMessage!.fileSha256!).toString("base64"),
  };
});
afterAll(async () => {
  agent.destroy();
  await standIn.end();
  rmSync(folder, { recursive: true });
});

const fetched = (path: string): Promise<number> =>
  fetchMedia(reference, path, data.length, { agent, anyHost: true }, AbortSignal.timeout(60_000));

test("media is decrypted into the file", async () => {
  const path = join(folder, "received");
  writeFileSync(path, "");
  expect(await fetched(path)).toBe(data.length);
  expect(readFileSync(path).equals(data)).toBe(true);
});

test("a file that the gateway removed meanwhile is not made again", async () => {
  const path = join(folder, "removed");
  await expect(fetched(path)).rejects.toThrow("ENOENT");
  expect(existsSync(path)).toBe(false);
});

test("a file that cannot be opened leaves no connection open", async () => {
  await expect(fetched(join(folder, "missing", "received"))).rejects.toThrow("ENOENT");
  await settle();
  expect(Object.keys(agent.sockets)).toEqual([]);
});
