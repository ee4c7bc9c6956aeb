// A server of PostgreSQL with an empty database, for gateways that share it.
import { execFileSync } from "node:child_process";
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isRunning, start, until } from "./processes.mjs";

const VERSIONS = "/usr/lib/postgresql"; // Debian has a folder for each version.
const USER = "postgres"; // Root runs the server as this user, because PostgreSQL refuses root.

/** Its own defaults, but with room for an hour's log and a cache for some of the indexes. */
const SETTINGS = ["listen_addresses=", "shared_buffers=256MB", "max_wal_size=4GB"];

/** How it makes accepted messages durable. */
export const durability = "PostgreSQL, an fsync of its log before every answer (group commit)";

/**
 * Its data are in `folder`, and its socket in a folder of its own, because a socket's path has 107
 * bytes at most. Resolves with {process, url, sql, pgbench, logEnd, hold, remove}: `sql` runs
 * statements and returns their output, `pgbench` a program of PostgreSQL's that measures; `logEnd`
 * tells how many bytes its log has had, also after the process has ended; `hold` begins a snapshot,
 * and resolves with a function that ends it; `remove` is for after the process has ended.
 */
export async function startPostgres(folder) {
  const programs = newestPrograms();
  const data = join(folder, "data");
  const sockets = mkdtempSync(join(tmpdir(), "merpati-pg-"));
  mkdirSync(data, { mode: 0o700 });
  for (const place of [folder, data, sockets]) giveAway(place);
  const ask = ["--host", sockets, "--username", "merpati"];
  execFileSync(
    ...confined(join(programs, "initdb"), [
      ...["--pgdata", data, "--username", "merpati", "--auth", "trust"],
      ...["--encoding", "UTF8", "--locale", "C"],
    ]),
    { stdio: "pipe", cwd: sockets },
  );
  const settings = SETTINGS.flatMap((setting) => ["-c", setting]);
  const child = start(
    ...confined(join(programs, "postgres"), ["-D", data, "-k", sockets, ...settings]),
    { log: join(folder, "postgresql.log"), folder: sockets, withChildren: true },
  );
  const isReady = () => succeeds(join(programs, "pg_isready"), ["--quiet", "--host", sockets]);
  await until("PostgreSQL", isReady, { child });
  execFileSync(join(programs, "createdb"), [...ask, "merpati"]);
  const stopped = () => {
    const known = execFileSync(join(programs, "pg_controldata"), [data], { encoding: "utf8" });
    return /^Latest checkpoint location: +(\S+)/m.exec(known)[1];
  };
  const psql = [...ask, "-qAtX", "-v", "ON_ERROR_STOP=1", "-d", "merpati"];
  const sql = (statement) =>
    execFileSync(join(programs, "psql"), psql, { input: statement, encoding: "utf8" }).trim();
  return {
    process: child,
    url: `postgresql://merpati@/merpati?host=${sockets}`,
    sql,
    pgbench: (...flags) =>
      execFileSync(join(programs, "pgbench"), [...ask, ...flags, "merpati"], { encoding: "utf8" }),
    logEnd: () => logEnd(isRunning(child) ? sql("SELECT pg_current_wal_insert_lsn()") : stopped()),
    hold: () => hold(join(programs, "psql"), psql, folder, sql),
    remove: () => rmSync(sockets, { recursive: true, force: true }),
  };
}

/** Settings of a gateway whose files are in `folder`. */
export function nodeSettings(postgres, folder, key, name) {
  return {
    "store.url": postgres.url,
    "store.key_file": key,
    "store.folder": folder,
    "cluster.node": name,
  };
}

/** Of a place in the log, such as 0/1A2B: how many bytes are before it. */
function logEnd(place) {
  const [high, low] = place.split("/").map((part) => parseInt(part, 16));
  return high * 2 ** 32 + low;
}

async function hold(psql, flags, folder, sql) {
  const begin = "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM node";
  const wait = "SELECT pg_sleep(100000)";
  const child = start(psql, [...flags, "-c", begin, "-c", wait], {
    log: join(folder, "snapshot.log"),
  });
  const holds = "SELECT count(*) FROM pg_stat_activity WHERE backend_xmin IS NOT NULL AND query = ";
  await until("the snapshot", () => sql(`${holds}'${wait}'`) === "1", { child });
  return async () => {
    if (!isRunning(child)) throw new Error("the snapshot has ended early");
    sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = '${wait}'`);
    await child.ended;
  };
}

function newestPrograms() {
  const found = (existsSync(VERSIONS) ? readdirSync(VERSIONS) : [])
    .filter((version) => existsSync(join(VERSIONS, version, "bin/initdb")))
    .sort((one, other) => Number(other) - Number(one));
  if (!found[0]) throw new Error("PostgreSQL is not installed: apt-get install postgresql");
  return join(VERSIONS, found[0], "bin");
}

function succeeds(program, args) {
  try {
    execFileSync(program, args);
    return true;
  } catch {
    return false;
  }
}

const isRoot = process.getuid() === 0;

function giveAway(folder) {
  const id = (flag) => Number(execFileSync("id", [flag, USER], { encoding: "utf8" }));
  if (isRoot) chownSync(folder, id("-u"), id("-g"));
}

/** A command that runs as a user who is not root, and ends with this process. */
function confined(program, args) {
  const as = isRoot ? ["--reuid", USER, "--regid", USER, "--clear-groups"] : [];
  return ["setpriv", [...as, "--pdeathsig", "QUIT", program, ...args]];
}
