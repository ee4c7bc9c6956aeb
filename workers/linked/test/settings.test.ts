import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rootCertificates } from "node:tls";
import { expect, test } from "vitest";
import { platformSettings } from "../src/devices/settings.js";

test("without settings it is the platform, with its own root", () => {
  const own = { url: undefined, rootKey: undefined, standIn: false };
  expect(platformSettings({})).toMatchObject(own);
});

test("another root is taken only where the settings name one", () => {
  const key = "ab".repeat(32);
  const url = "wss://127.0.0.1:4443/ws/chat";
  const rootKey = Buffer.from(key, "hex");
  expect(platformSettings({ url, root_key: key })).toMatchObject({ url, rootKey, standIn: true });
});

test("an address without encryption is this machine's own", () => {
  const url = "ws://127.0.0.1:5222/ws/chat";
  expect(platformSettings({ url })).toMatchObject({ encrypted: false });
  expect(platformSettings({ url: "ws://[::1]:5222/" })).toMatchObject({ encrypted: false });
  expect(() => platformSettings({ url: "ws://192.0.2.1/" })).toThrow("wss://");
  expect(() => platformSettings({ url: "http://127.0.0.1/" })).toThrow("wss://");
});

test("all connections share what is made of the authorities", () => {
  const folder = mkdtempSync(join(tmpdir(), "settings-"));
  const file = join(folder, "root.pem");
  writeFileSync(file, rootCertificates[0]!);
  const { agent } = platformSettings({ ca_file: file });
  rmSync(folder, { recursive: true });
  expect(agent?.options.secureContext).toBeDefined();
  expect(agent?.options.ca).toBeUndefined();
});

test("a root that is no key is refused", () => {
  expect(() => platformSettings({ root_key: "abc" })).toThrow("root_key");
});
