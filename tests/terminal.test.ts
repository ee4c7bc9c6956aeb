// Commands in a shell: pipes that close, full disks, settings from a pipe.
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { binary, environment } from "./support/binary.ts";
import { Gateway } from "./support/gateway.ts";
import { scratchFolder } from "./support/scratch.ts";
import { waitFor } from "./support/wait.ts";

interface Ended {
  code: number | null;
  signal: string | null;
  stdout: string;
  stderr: string;
}

/** Runs a line of bash in which `merpati` is the executable. */
function shell(line: string, folder: string): Promise<Ended> {
  const child = spawn("bash", ["-c", `merpati() { "${binary}" "$@"; }; set -o pipefail; ${line}`], {
    cwd: folder,
    env: environment(),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (piece: string) => (stdout += piece));
  child.stderr.setEncoding("utf8").on("data", (piece: string) => (stderr += piece));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
}

describe("on a stopped store", () => {
  const folder = scratchFolder("terminal");
  beforeAll(async () => {
    const made = await shell("merpati account create Toko && merpati key create 1", folder);
    expect(made.code, made.stderr).toBe(0);
  });

  test.each([
    "account list",
    "account show 1 --json",
    "account set 1 --plan paid",
    "account topup 1 5",
    "key list 1 --json",
    "device add 1 6281100000001",
    "device list",
    "message list --json",
    "callback list",
    "config show",
    "config sample",
    "doctor --set http.listen=127.0.0.1:0",
    "migrate",
    "version --json",
    "--version",
    "--help",
    "account create --help",
  ])("%s fails where its output cannot be written", async (line) => {
    const full = await shell(`merpati ${line} > /dev/full`, folder);
    expect(full).toMatchObject({ code: 1, stderr: expect.stringContaining("No space left") });
    const closed = await shell(`merpati ${line} >&-`, folder);
    expect(closed).toMatchObject({ code: 1, stderr: expect.stringContaining("not be written") });
  });

  test("a key that nobody saw is told, and can be revoked", async () => {
    const lost = await shell("merpati key create 1 --json > /dev/full", folder);
    expect(lost.code).toBe(1);
    const revoke = /`merpati (key revoke key_\d+)`/.exec(lost.stderr);
    expect(revoke, lost.stderr).not.toBeNull();
    expect(lost.stderr).not.toContain("mpt_");
    expect((await shell(`merpati ${revoke?.[1]}`, folder)).code).toBe(0);
  });

  test("a reader that leaves early ends the command without a word", async () => {
    const left = await shell("merpati config show | true; echo ${PIPESTATUS[0]}", folder);
    expect(left.stderr).toBe("");
    expect(["0\n", "1\n"]).toContain(left.stdout);
    const read = await shell("merpati account list | head -1", folder);
    expect(read.stdout).toMatch(/^ID/);
    expect(read.stderr).toBe("");
  });

  test("what callers write does not command the terminal", async () => {
    const name = "$'Toko \\xc2\\x9b31m \\xe2\\x80\\xae'";
    const made = await shell(`merpati account create ${name}`, folder);
    expect(made.code, made.stderr).toBe(0);
    for (const line of ["account list", "account list --json", "account show 2"]) {
      const { stdout } = await shell(`merpati ${line}`, folder);
      expect(stdout).toContain("Toko");
      expect(stdout).not.toMatch(/[\u0080-\u009f\u202a-\u202e\u2066-\u2069\x1b]/);
    }
  });

  test("a relative store lies beside the settings file, whose folder is said", async () => {
    const below = join(folder, "below");
    mkdirSync(below);
    writeFileSync(join(folder, "merpati.toml"), '[store]\nurl = "sqlite:merpati.db"\n');
    const list = await shell("merpati --config ../merpati.toml account list --json", below);
    expect(JSON.parse(list.stdout)[0]).toMatchObject({ name: "Toko" });
    const shown = await shell("merpati --config ../merpati.toml config show", below);
    expect(shown.stdout).toContain(`= sqlite:${folder}/merpati.db  (../merpati.toml:2)`);
    expect(shown.stdout).toContain(`= ${folder}/merpati.db.key  (default)`);
    const elsewhere = await shell("merpati account list; ls -A", below);
    expect(elsewhere.stderr).toContain(`there is no store at sqlite:${below}/merpati.db`);
    expect(elsewhere.stdout).toBe("");
  });

  test("settings may come from a pipe", async () => {
    const pipe = "<(printf '[http]\\nthreads = 3\\n')";
    const shown = await shell(`merpati --config ${pipe} config show`, folder);
    expect(shown.stdout).toMatch(/http.threads +(= 3)/);
    expect(shown.stdout).toContain(`= sqlite:${folder}/merpati.db  (default)`);
  });

  test("a PostgreSQL store without a key file is refused, without its password", async () => {
    const line = "merpati --set 'store.url=postgresql://u:p#ss@db/m' account list";
    const refused = await shell(line, folder);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain("store.key_file must be set");
    expect(refused.stderr).not.toContain("p#ss");
  });

  test("nobody is asked for the pass phrase of a TLS key", async () => {
    const request = "openssl req -x509 -newkey rsa:2048 -days 1 -subj /CN=localhost";
    const files = "-passout pass:secret -keyout key.pem -out certificate.pem";
    const made = await shell(`${request} ${files}`, folder);
    expect(made.code, made.stderr).toBe(0);
    const tls = "--set http.tls.certificate=certificate.pem --set http.tls.key=key.pem";
    // On a terminal, where OpenSSL would ask for the pass phrase.
    const serve = `"${binary}" ${tls} --set http.listen=127.0.0.1:0 serve`;
    const started = await shell(`script -qec '${serve}' /dev/null`, folder);
    expect(started.stdout).not.toContain("pass phrase:");
    expect(started.stdout).toContain("is encrypted");
    expect(started.code).toBe(1);
  });
});

describe("a server", () => {
  let gateway: Gateway;
  beforeAll(async () => void (gateway = await Gateway.create({ start: false })));
  afterAll(() => gateway.close());

  test.each(["2>/dev/full", "2>&-", "2> >(exit 0)"])("goes on with its log at %s", async (log) => {
    const line = `exec "${binary}" --config "${gateway.config}" serve ${log}`;
    const child = spawn("bash", ["-c", line], { env: environment(), stdio: "ignore" });
    const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
    try {
      const ready = () => fetch(`${gateway.url}/readyz`).then((answer) => answer.ok, () => false);
      await waitFor("the gateway to be ready", ready, 30_000);
      for (let round = 0; round < 5; round += 1) {
        expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200);
      }
      execFileSync(binary, ["--config", gateway.config, "account", "create", "Toko"]);
    } finally {
      child.kill("SIGTERM");
    }
    expect(await ended).toBe(0);
  });
});
