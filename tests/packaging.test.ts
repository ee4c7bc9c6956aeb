// The files of packaging/ work with this program.
import { execFileSync, spawnSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { expect, test } from "vitest";
import { shop } from "./support/account.ts";
import { binary, command } from "./support/binary.ts";
import { sqliteTest } from "./support/engine.ts";
import { Gateway } from "./support/gateway.ts";
import { freshNumber, freshText } from "./support/numbers.ts";
import { scratchFolder } from "./support/scratch.ts";

const packaging = resolve(import.meta.dirname, "../packaging");

test("the sample settings are settings", async () => {
  const settings = join(packaging, "merpati.toml");
  const { code, stdout } = await command(["--config", settings, "config", "show"]);
  expect(code).toBe(0);
  expect(stdout).toContain("/var/lib/merpati/merpati.db");
});

sqliteTest("merpati-backup leaves one copy a day of a running store, no more", async () => {
  const gateway = await Gateway.create();
  const { account, device } = await shop(gateway);
  await account.send({ to: freshNumber(), from: device, message: freshText(), Type: "text" });
  const copies = join(gateway.folder, "copies");
  for (const _ of ["today", "once more today"]) {
    execFileSync(join(packaging, "merpati-backup"), [gateway.config, gateway.folder, copies], {
      env: { PATH: `${dirname(binary)}:${process.env.PATH}` },
      stdio: "pipe",
    });
  }
  const files = readdirSync(copies);
  expect(files).toEqual([expect.stringMatching(/^merpati-(Mon|Tue|Wed|Thu|Fri|Sat|Sun)\.db$/)]);
  const copy = join(copies, files[0]!);
  expect(statSync(copy).mode & 0o777).toBe(0o600);
  expect(readdirSync(gateway.folder)).not.toContain("backup.new");

  const restored = scratchFolder("restored");
  copyFileSync(copy, join(restored, "merpati.db"));
  copyFileSync(join(gateway.folder, "merpati.db.key"), join(restored, "merpati.db.key"));
  const store = `store.url=sqlite:${join(restored, "merpati.db")}`;
  const listed = await command(["--set", store, "message", "list", "--json"]);
  expect(JSON.parse(listed.stdout)).toHaveLength(1);
  await gateway.close();
});

test("merpati-backup copies a store that has no settings file", async () => {
  const folder = scratchFolder("unset");
  const env = { PATH: `${dirname(binary)}:${process.env.PATH}`, LC_ALL: "id_ID.UTF-8" };
  execFileSync(binary, ["account", "create", "Toko"], { cwd: folder, env, stdio: "pipe" });
  execFileSync(join(packaging, "merpati-backup"), ["", folder, join(folder, "copies")], {
    cwd: "/", env, stdio: "pipe",
  });
  const files = readdirSync(join(folder, "copies"));
  expect(files).toEqual([expect.stringMatching(/^merpati-(Mon|Tue|Wed|Thu|Fri|Sat|Sun)\.db$/)]);
  expect(readdirSync(folder)).not.toContain("backup.new");
});

const isMissing = !existsSync("/usr/bin/systemd-analyze");

test.skipIf(isMissing)("systemd understands every line of the units", () => {
  const folder = scratchFolder("units");
  const units = readdirSync(packaging).filter((name) => /\.(service|socket|timer)$/.test(name));
  for (const unit of units) {
    // With the paths of the programs under test.
    const text = readFileSync(join(packaging, unit), "utf8")
      .replace("=merpati-backup", `=${join(packaging, "merpati-backup")}`)
      .replace("=merpati ", `=${binary} `);
    writeFileSync(join(folder, unit), text);
  }
  const files = units.map((unit) => join(folder, unit));
  const judged = spawnSync("systemd-analyze", ["verify", "--man=no", ...files], {
    encoding: "utf8",
  });
  expect(judged.stdout + judged.stderr).toBe("");
});

test("the server is not started again where docs/operations.md says that it does not help", () => {
  const text = readFileSync(resolve(packaging, "../docs/operations.md"), "utf8");
  const codes = [...text.matchAll(/^\| (\d+) \| .* \| no: .* \|$/gm)].map((row) => row[1]);
  const unit = readFileSync(join(packaging, "merpati.service"), "utf8");
  expect(codes.length).toBeGreaterThan(3);
  expect(/^RestartPreventExitStatus=(.*)$/m.exec(unit)?.[1]).toBe(codes.join(" "));
});

test.skipIf(isMissing)("the units are as closed as packaging/README.md says", () => {
  const levels = [
    ["merpati.service", "1.2"],
    ["merpati-worker@.service", "1.3"],
  ] as const;
  const readme = readFileSync(join(packaging, "README.md"), "utf8");
  for (const [unit, level] of levels) {
    const judged = spawnSync(
      "systemd-analyze",
      ["security", "--offline=true", join(packaging, unit)],
      { encoding: "utf8" },
    );
    const found = Number(/exposure level for \S+: ([\d.]+)/.exec(judged.stdout)?.[1]);
    expect(found).toBeLessThanOrEqual(Number(level));
    expect(readme).toContain(level);
  }
});
