// The converter reads folders that Baileys wrote, and hostile folders.
import { execFile } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readFolder, writeFolder } from "../src/moving/folder.js";
import { convert, converter, importFolder } from "./support/converter.js";
import { makeLinkedFolder } from "./support/linked_folder.js";
import { MemoryValues } from "./support/memory_values.js";

const device = "6281100000011";

let scratch: string;
let folder: string; // Of a linked device.

beforeAll(async () => {
  scratch = mkdtempSync(join(tmpdir(), "merpati-folder-"));
  folder = join(scratch, "other");
  await makeLinkedFolder(folder, device);
});
afterAll(() => rmSync(scratch, { recursive: true }));

function fresh(name: string): string {
  mkdirSync(join(scratch, name));
  return join(scratch, name);
}

/// A changed copy of the folder.
function copy(name: string, change: (folder: string) => void): string {
  const made = fresh(name);
  for (const file of readdirSync(folder)) {
    writeFileSync(join(made, file), readFileSync(join(folder, file)));
  }
  change(made);
  return made;
}

const rewrite = (of: string, file: string, change: (value: any) => unknown): void => {
  const path = join(of, file);
  writeFileSync(path, JSON.stringify(change(JSON.parse(readFileSync(path, "utf8")))));
};

function refusal(of: string, number = device): string {
  try {
    readFolder(of, number);
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error("it is taken");
}

test("what is exported unchanged is what was imported", () => {
  const out = fresh("same");
  const { secrets } = readFolder(folder, device);
  expect(writeFolder(out, device, secrets).left_out).toBe(0);
  expect(readdirSync(out).sort()).toEqual(readdirSync(folder).sort());
  for (const file of readdirSync(folder).filter((name) => name !== "creds.json")) {
    const read = (of: string): unknown => JSON.parse(readFileSync(join(of, file), "utf8"));
    expect(read(out), file).toEqual(read(folder));
  }
});

test("names that Baileys escapes come back as they were", () => {
  const named = copy("named", (made) => {
    const buffer = { type: "Buffer", data: "AAEC" };
    const write = (name: string, value: unknown): void =>
      writeFileSync(join(made, name), JSON.stringify(value));
    write("app-state-sync-key-AB__CD+e==.json", { keyData: buffer, timestamp: "170" });
    write("sender-key-6281-15@g.us--628110_1--3.json", buffer);
    write("sender-key-memory-6281-15@g.us.json", { "628110_1:3@lid": true });
    write("lid-mapping-77_reverse.json", "6281");
    write("device-list-6281.json", ["0", "3"]);
    write("tctoken-77@lid.json", { token: buffer, timestamp: "1700000000" });
    write("tctoken-__index.json", { token: buffer });
    const bytes = (count: number): object => ({
      type: "Buffer",
      data: Buffer.alloc(count).toString("base64"),
    });
    write("identity-key-77_1.0.json", bytes(33));
  });
  const { secrets, moved } = readFolder(named, device);
  expect(moved.left_out).toBe(0);
  const ids = secrets.map(({ value }) => Buffer.from(value, "base64").toString());
  for (const id of ["AB/CD+e==", "6281-15@g.us::628110_1::3", "77_reverse", "__index", "77_1.0"]) {
    expect(ids.some((text) => text.includes(JSON.stringify(id)))).toBe(true);
  }
  const out = fresh("named-out");
  writeFolder(out, device, secrets);
  expect(readdirSync(out).sort()).toEqual(readdirSync(named).sort());
});

test("copies of the app's state stay behind, however large", () => {
  const large = copy("large", (made) => {
    const hash = { type: "Buffer", data: Buffer.alloc(128).toString("base64") };
    const version = { version: 3, hash, indexValueMap: {} };
    const file = "app-state-sync-version-critical_unblock_low.json";
    writeFileSync(join(made, file), JSON.stringify(version));
  });
  const { secrets, moved } = readFolder(large, device);
  expect(moved).toEqual(readFolder(folder, device).moved);
  expect(secrets.map(({ name }) => name).filter((name) => name.startsWith("v"))).toEqual([]);
});

test("what older versions wrote is understood", () => {
  const old = copy("old", (made) => {
    const list = (value: { data: string }): object => ({
      type: "Buffer",
      data: [...Buffer.from(value.data, "base64")],
    });
    rewrite(made, "creds.json", (creds) => ({
      ...creds,
      // The newest versions write protobuf's Base64 here.
      account: Object.fromEntries(
        Object.entries(creds.account).map(([name, text]) => [name, list({ data: String(text) })]),
      ),
      me: { id: creds.me.id },
      lastPropHash: null,
      additionalData: { mine: true },
    }));
    const preKey = readdirSync(made).find((name) => name.startsWith("pre-key-"))!;
    rewrite(made, preKey, (pair) => ({
      public: { buffer: true, value: pair.public.data },
      private: { ...Buffer.from(pair.private.data, "base64") },
    }));
    writeFileSync(join(made, "sender-key-1@g.us--2--0.json"), '[{"senderKeyId":1}]');
  });
  expect(readFolder(old, device).moved).toEqual({
    keys: readdirSync(old).length - 1,
    left_out: 0,
  });
});

test("the identity must be whole, linked, and of that number", () => {
  expect(refusal(folder, "6281100000012")).toContain("another number");
  expect(refusal(join(scratch, "nowhere"))).toContain("ENOENT");
  let made = 0;
  const with_ = (change: (creds: any) => unknown): string =>
    refusal(copy(`identity-${made++}`, (of) => rewrite(of, "creds.json", change)));
  expect(with_(({ account: _, ...creds }) => creds)).toContain("never linked");
  const { signedIdentityKey: other } = JSON.parse(
    readFileSync(join(folder, "creds.json"), "utf8"),
  ) as any;
  for (const change of [
    () => [],
    () => null,
    (creds: any) => ({ ...creds, noiseKey: { ...creds.noiseKey, public: other.public } }),
    (creds: any) => ({ ...creds, signedIdentityKey: creds.noiseKey }),
    (creds: any) => ({ ...creds, me: { id: `${device}@s.whatsapp.net/../..` } }),
    (creds: any) => ({ ...creds, me: { __proto__: null, id: [device] } }),
    (creds: any) => ({ ...creds, advSecretKey: 7 }),
    (creds: any) => ({ ...creds, registrationId: -1 }),
    (creds: any) => ({ ...creds, signalIdentities: "x" }),
  ]) {
    const said = with_(change);
    expect(said, String(change)).toContain("creds.json is broken");
    expect(said).not.toContain(other.private.data);
  }
});

test("a folder that is not whole, or not a folder of Baileys, is refused", () => {
  const creds = join(folder, "creds.json");
  const cut = (of: string): void =>
    writeFileSync(join(of, "creds.json"), readFileSync(creds).subarray(0, 300));
  expect(refusal(copy("cut", cut))).toContain("broken");
  const long = (of: string): void => writeFileSync(join(of, "creds.json"), "[".repeat(2_000_000));
  expect(refusal(copy("long", long))).toContain("too long");
  expect(refusal(copy("none", (of) => rmSync(join(of, "creds.json"))))).toContain(
    "no creds.json",
  );
  expect(refusal(creds)).toContain("ENOTDIR");
  const unlinked = copy("link", (of) => {
    rmSync(join(of, "creds.json"));
    symlinkSync(creds, join(of, "creds.json"));
  });
  expect(refusal(unlinked)).toContain("no plain file");
  const stray = copy("stray", (of) => symlinkSync("/etc/passwd", join(of, "session-1.0.json")));
  expect(refusal(stray)).toContain("session-1.0.json is no plain file");
  const inner = copy("inner", (of) => mkdirSync(join(of, "pre-key-999999.json")));
  expect(refusal(inner)).toContain("no plain file");
});

test("keys that cannot be read are left out, whatever is in them", () => {
  const hostile = copy("hostile", (of) => {
    const files: Record<string, string> = {
      "session-1.0.json": '{"_sessions":{"AA==":',
      "session-2.0.json": `{"version":"v1","_sessions":${"[".repeat(100_000)}`,
      "session-3.0.json": '{"version":"v1","_sessions":{"__proto__":{"closed":-1}}}',
      "session-4.0.json": " ".repeat(300_000),
      "session-5.0.json": '{"version":"v9","_sessions":{}}',
      "pre-key-9999999.json": '{"public":"AAAA","private":"AAAA"}',
      "pre-key-0.json": "{}",
      "device-list-6281.json": '{"0":"__proto__"}',
      "lid-mapping-__proto__.json": "7",
      "sender-key-1@g.us--2--0.json": "[".repeat(200_000) + "]".repeat(200_000),
      "session-.json": "{}",
      "session-..0.json": "{}",
      "notes.txt": "",
    };
    Object.entries(files).forEach(([name, text]) => writeFileSync(join(of, name), text));
  });
  expect(readFolder(hostile, device).moved).toEqual({
    keys: readdirSync(folder).length - 1,
    left_out: 13,
  });
});

test("what is exported stays in its folder, and is whole or none of a linked device", () => {
  const { secrets } = readFolder(folder, device);
  const bucket = (...ids: string[]): string =>
    Buffer.from(JSON.stringify(ids.map((id) => [id, "{}"]))).toString("base64");
  const odd = [
    { name: "s1", value: bucket("../../x.0", "a/b.0", "\0.0", `${"x".repeat(300)}.0`) },
    { name: "g1", value: bucket("../../x::1::0") },
    { name: "o1", value: bucket("SENT") },
    { name: "void", value: "MQ==" },
    { name: "zz", value: "?" },
  ];
  const out = fresh("odd");
  expect(writeFolder(out, device, [...odd, ...secrets]).left_out).toBe(5);
  expect(readdirSync(out).sort()).toEqual(readdirSync(folder).sort());
  expect(() => writeFolder(out, device, secrets), "nothing is written over").toThrow("EEXIST");

  const none = fresh("none-out");
  expect(() => writeFolder(none, device, odd.slice(2))).toThrow("is not linked");
  expect(readdirSync(none)).toEqual([]);
  expect(() => writeFolder(fresh("wrong"), "6281100000012", secrets)).toThrow("another number");
});

test("the program passes secrets through its socket alone, and only whole", async () => {
  const values = new MemoryValues();
  await importFolder(device, folder, values);
  const half = fresh("half");
  const secrets = [...values.values].map(([name, value]) => ({ name, value }));
  const cut = await convert("export", device, half, secrets);
  expect(cut.code).not.toBe(0);
  expect(cut.said).toContain("before all was handed over");
  expect(readdirSync(half)).not.toContain("creds.json");
  const wrong = await convert("import", "6281100000012", folder);
  expect(wrong.code).not.toBe(0);
  expect(wrong.said).toContain("another number");
  expect(wrong.lines).toEqual([]);
  expect((await convert("import", device, join(scratch, "nowhere"))).said).toContain("ENOENT");

  const byHand = promisify(execFile)(process.execPath, [converter, "import", device, folder]);
  await expect(byHand).rejects.toMatchObject({ code: 78, stdout: "" });
});
