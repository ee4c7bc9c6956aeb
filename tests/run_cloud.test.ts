// `./dev run --cloud`: from an empty folder to a number of the official platform, and a message.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { binary } from "./support/binary.ts";
import { freePort } from "./support/gateway.ts";
import { scratchFolder } from "./support/scratch.ts";
import { waitFor, within } from "./support/wait.ts";

test("a person without an account sees a number added, a message sent, and an answer", async () => {
  const port = await freePort();
  const child = spawn("./dev", ["run", "--cloud", "--set", `http.listen=127.0.0.1:${port}`], {
    cwd: join(import.meta.dirname, ".."),
    env: {
      ...process.env,
      MERPATI_BINARY: binary,
      MERPATI_DEMO: join(scratchFolder("run-cloud"), "demo"),
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (piece: string) => (said += piece));
  child.stderr.setEncoding("utf8").on("data", (piece: string) => (said += piece));
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  const refuses = `"report":{"code":131026}`;
  await waitFor("the walk to end", () => said.includes(refuses), 60_000).catch((error) => {
    throw new Error(`${error}\n${said}`);
  });
  await waitFor("the callback", () => /signature ok .*"status":"sent"/.test(said));
  await waitFor("the answer", () => /signature ok .*"message.received".*Halo, Merpati!/.test(said));
  expect(said).toContain("Kabar dari toko: {{1}}");
  expect(said).toContain("the platform has verified the webhook");
  child.kill("SIGINT");
  expect(await within("the end", ended), said).toBe(0);
}, 90_000);
