// `./dev run --linked --stand-in`: from an empty folder to a linked phone and a first message.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { binary } from "./support/binary.ts";
import { freePort } from "./support/gateway.ts";
import { scratchFolder } from "./support/scratch.ts";
import { waitFor, within } from "./support/wait.ts";

test("a person without a phone sees one linked, and a message on another", async () => {
  const port = await freePort();
  const flags = ["--linked", "--stand-in", "--set", `http.listen=127.0.0.1:${port}`];
  const child = spawn("./dev", ["run", ...flags], {
    cwd: join(import.meta.dirname, ".."),
    env: {
      ...process.env,
      MERPATI_BINARY: binary,
      MERPATI_DEMO: join(scratchFolder("run-linked"), "demo"),
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (piece: string) => (said += piece));
  child.stderr.setEncoding("utf8").on("data", (piece: string) => (said += piece));
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  await waitFor("the walk to end", () => said.includes("Ctrl-C stops everything"), 60_000);
  await waitFor("the callback", () => /signature ok .*"status":"sent"/.test(said));
  expect(said).toContain("https://wa.me/settings/linked_devices#");
  expect(said).toContain("The device is connected.");
  expect(said).toContain("shows: Halo dari Merpati!");
  child.kill("SIGINT");
  expect(await within("the end", ended), said).toBe(0);
}, 90_000);
