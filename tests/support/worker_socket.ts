// Does the work of merpati-worker.socket and merpati-worker@.service without systemd: each
// connection starts a launcher as another user. Needs root.
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { binary } from "./binary.ts";
import { waitFor } from "./wait.ts";

/** Why these tests cannot run here; empty: they can. */
export function whyNot(): string {
  if (process.getuid?.() !== 0) return "only root can run a worker as another user";
  const programs = ["/usr/bin/systemd-socket-activate", "/usr/bin/setpriv"];
  const missing = programs.find((program) => !existsSync(program));
  if (missing) return `${missing} is not installed`;
  const stranger = ["--reuid=60999", "--regid=60999", "--clear-groups", "--"];
  const closed = [binary, process.execPath, import.meta.dirname].find(
    (path) => spawnSync("/usr/bin/setpriv", [...stranger, "test", "-r", path]).status !== 0,
  );
  return closed ? `another user cannot read ${closed}` : "";
}

export interface Process {
  pid: number;
  parent: number;
  command: string;
}

export class WorkerSocket {
  readonly user = 61_000 + Math.floor(Math.random() * 4_000); // An unused user id.
  private program: ChildProcess | undefined;

  private constructor(
    readonly path: string,
    readonly group: number,
    private readonly launcher: string[],
  ) {}

  /** `launcher`: arguments of `merpati launch-worker`. `folder` is accessible to all users. */
  static async open(
    folder: string,
    name: string,
    group: number,
    launcher: string[],
  ): Promise<WorkerSocket> {
    const socket = new WorkerSocket(join(folder, name), group, launcher);
    await socket.listen();
    return socket;
  }

  async listen(): Promise<void> {
    const ids = [`--reuid=${this.user}`, `--regid=${this.user}`, `--groups=${this.group}`];
    const as = ["/usr/bin/setpriv", ...ids, "--no-new-privs", "--"];
    const run = [...as, binary, "launch-worker", ...this.launcher];
    const listen = ["--accept", "--seqpacket", "--listen", this.path];
    this.program = spawn("/usr/bin/systemd-socket-activate", [...listen, ...run], {
      stdio: "ignore",
      env: { PATH: process.env["PATH"] },
    });
    await waitFor(this.path, () => existsSync(this.path));
  }

  /** Stops listening; running workers continue. */
  stop(): void {
    this.program?.kill();
    this.program = undefined;
    rmSync(this.path, { force: true });
  }

  /** All processes of its user. */
  processes(): Process[] {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .flatMap((name) => {
        try {
          const status = readFileSync(`/proc/${name}/status`, "utf8");
          if (Number(/^Uid:\t(\d+)/m.exec(status)![1]) !== this.user) return [];
          if (/^State:\tZ/m.test(status)) return [];
          const parent = Number(/^PPid:\t(\d+)/m.exec(status)![1]);
          const command = readFileSync(`/proc/${name}/cmdline`, "utf8").replaceAll("\0", " ");
          return [{ pid: Number(name), parent, command }];
        } catch {
          return []; // The process has ended meanwhile.
        }
      });
  }

  async launcherProcess(): Promise<Process> {
    return waitFor("the launcher", () =>
      this.processes().find(({ command }) => command.includes("launch-worker")),
    );
  }

  /** The process that the launcher started. */
  async worker(): Promise<Process> {
    return waitFor("the worker", () => {
      const all = this.processes();
      return all.find(({ parent }) =>
        all.some(({ pid, command }) => pid === parent && command.includes("launch-worker")),
      );
    });
  }
}

/** Copies a program to a place where every user may read it. */
export function openTo(folder: string, file: string, name: string): string {
  copyFileSync(file, join(folder, name));
  return join(folder, name);
}
