// Programs that refuse to run as root, such as PostgreSQL, and folders for them.
import { execFileSync } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const roomMin = 2 * 1024 ** 3;

interface User {
  uid: number;
  gid: number;
}

/** Whom root runs them as; undefined: this user is not root. */
function otherUser(): User | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string, name: string) =>
    Number(execFileSync("id", [flag, name], { encoding: "utf8", stdio: "pipe" }));
  for (const name of ["postgres", "nobody"]) {
    try {
      return { uid: id("-u", name), gid: id("-g", name) };
    } catch {
      continue;
    }
  }
  throw new Error("there is no user to run PostgreSQL as");
}

/** A command that runs as a user who is not root, and gets this signal when this process ends. */
export function confined(
  program: string,
  args: string[],
  signal: "QUIT" | "TERM" = "QUIT",
): [string, string[]] {
  const end = ["--pdeathsig", signal];
  const user = otherUser();
  if (!user) return ["setpriv", [...end, program, ...args]];
  const as = ["--reuid", `${user.uid}`, "--regid", `${user.gid}`, "--clear-groups"];
  return ["setpriv", [...as, ...end, program, ...args]];
}

/** Gives a file or a folder to whom they run as. */
export function give(path: string): void {
  const user = otherUser();
  if (user) chownSync(path, user.uid, user.gid);
}

/** A folder of theirs, in memory where there is room: they sync their files. */
export function confinedFolder(): string {
  const memory = "/dev/shm";
  const room = existsSync(memory) ? statfsSync(memory) : { bavail: 0, bsize: 0 };
  const parent = room.bavail * room.bsize >= roomMin ? memory : tmpdir();
  const folder = mkdtempSync(join(parent, "merpati-pg-"));
  give(folder);
  return folder;
}
