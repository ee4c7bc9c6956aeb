// The host of media: nginx, which costs little, on several addresses, because the gateway limits
// the transfers for each host.
import { mkdirSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startNginx } from "./nginx.mjs";

const KIB = 1024;
const PIECE = 4 * KIB - 64; // A word in nginx' configuration has at most 4 KiB.
const PDF = "%PDF-1.4\n";

export const SHARED_BYTES = 1024 * KIB;
export const DISTINCT_BYTES = 16 * PIECE;
export const LARGE_BYTES = 50 * 1024 * KIB;

/** Resolves with {process, shared, distinct(n), large(n)}: URLs, the last spread over the hosts. */
export async function startMediaHost(folder, { hosts: count }) {
  const files = join(folder, "files");
  mkdirSync(files, { recursive: true });
  writeFileSync(join(files, "shared.pdf"), PDF.padEnd(SHARED_BYTES, "merpati "));
  writeFileSync(join(files, "large.pdf"), PDF);
  truncateSync(join(files, "large.pdf"), LARGE_BYTES);
  const { process, hosts } = await startNginx(folder, "host", {
    addresses: count,
    http: `  sendfile on;
  types { application/pdf pdf; }
  default_type application/pdf;`,
    server: `    root ${files};
    set $piece "${"x".repeat(PIECE)}";
    # A content of its own for every address.
    location /distinct/ { return 200 "${PDF.trim()} $uri ${"$piece".repeat(16)}"; }
    # So slow that all of them are under way at once.
    location /large/ { limit_rate 1m; try_files /large.pdf =404; }`,
  });
  const base = (index) => `http://${hosts[index % hosts.length]}`;
  return {
    process,
    shared: `${base(0)}/shared.pdf`,
    distinct: `${base(0)}/distinct/`,
    large: (index) => `${base(index)}/large/${index}.pdf`,
  };
}
