// Starts systemd in separate name spaces, with the packaged units. Needs root.
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { existsSync, readFileSync, readlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { binary } from "./binary.ts";
import { waitFor } from "./wait.ts";

const packaging = resolve(import.meta.dirname, "../../packaging");
const worker = resolve(import.meta.dirname, "../../workers/linked");

/** The process that has become systemd. */
const initOf = (unshare: ChildProcess) =>
  waitFor("systemd", () => {
    if (unshare.exitCode !== null) throw new Error("there are no name spaces for it");
    const path = `/proc/${unshare.pid}/task/${unshare.pid}/children`;
    const child = Number(readFileSync(path, "utf8").trim().split(" ")[0] || 0);
    try {
      return child && readlinkSync(`/proc/${child}/exe`).endsWith("/systemd") ? child : 0;
    } catch {
      return 0;
    }
  });

export class Booted {
  private constructor(
    private readonly program: ChildProcess,
    private readonly init: number,
  ) {}

  /** `settings`: a file. Resolves with a reason if this machine does not allow it. */
  static async boot(settings: string, authority: string): Promise<Booted | string> {
    if (process.getuid?.() !== 0) return "only root can start systemd";
    if (!existsSync("/lib/systemd/systemd")) return "systemd is not installed";
    const script = join(import.meta.dirname, "booted.sh");
    const spaces = ["--mount", "--pid", "--fork", "--kill-child", "--cgroup", "--uts", "--ipc"];
    const given = [packaging, binary, worker, settings, authority, process.execPath];
    const program = spawn("unshare", [...spaces, script, ...given], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    let said = "";
    program.stderr!.setEncoding("utf8").on("data", (piece: string) => (said += piece));
    try {
      const booted = new Booted(program, await initOf(program));
      const bus = "/run/systemd/private";
      await waitFor("systemd to answer", () => booted.run("test", "-S", bus).code === 0);
      await waitFor("systemd to have started", () => {
        const state = booted.run("systemctl", "is-system-running").stdout.trim();
        return state === "running" || state === "degraded"; // Other units of this machine may fail.
      });
      return booted;
    } catch (error) {
      program.kill("SIGKILL");
      return `this machine lets systemd not start: ${said.trim() || error}`;
    }
  }

  /** Runs a command as root inside the name spaces. */
  run(...command: string[]): { code: number; stdout: string; stderr: string } {
    const enter = ["--target", `${this.init}`, "--mount", "--pid", "--cgroup", "--uts", "--ipc"];
    const path = "PATH=/usr/sbin:/usr/bin:/sbin:/bin";
    const inside = ["--root", "--wd", "--", "env", "-i", path, "ASAN_OPTIONS=detect_leaks=0"];
    const { status, stdout, stderr } = spawnSync("nsenter", [...enter, ...inside, ...command], {
      encoding: "utf8",
    });
    return { code: status ?? -1, stdout, stderr };
  }

  /** Runs a command that must succeed; returns its output. */
  do(...command: string[]): string {
    const { code, stdout, stderr } = this.run(...command);
    if (code !== 0) throw new Error(`${command.join(" ")}: ${code}\n${stdout}${stderr}`);
    return stdout;
  }

  merpati(...args: string[]): any {
    const settings = ["--config", "/etc/merpati/merpati.toml"];
    return JSON.parse(this.do("merpati", ...settings, ...args, "--json"));
  }

  end(): void {
    this.program.kill("SIGKILL"); // Ends all processes inside too.
  }
}
