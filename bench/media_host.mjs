// Where media comes from: nginx, which costs little, on several ports, because the gateway bounds
// its transfers a host.
import { mkdirSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort, start, untilListening } from "./processes.mjs";

const KIB = 1024;
const PIECE = 4 * KIB - 64; // nginx takes words of at most 4 KiB.
const PDF = "%PDF-1.4\n";

export const SHARED_BYTES = 1024 * KIB;
export const DISTINCT_BYTES = 16 * PIECE;
export const LARGE_BYTES = 50 * 1024 * KIB;

/** Answers {process, shared, distinct(n), large(n)}: URLs, the last ones spread over the ports. */
export async function startMediaHost(folder, { ports: count }) {
  const files = join(folder, "files");
  mkdirSync(join(folder, "temporary"), { recursive: true });
  mkdirSync(files);
  writeFileSync(join(files, "shared.pdf"), PDF.padEnd(SHARED_BYTES, "merpati "));
  writeFileSync(join(files, "large.pdf"), PDF);
  truncateSync(join(files, "large.pdf"), LARGE_BYTES);
  const ports = [];
  while (ports.length < count) ports.push(await freePort());
  writeFileSync(join(folder, "host.conf"), configuration(folder, files, ports));
  const child = start("nginx", ["-c", join(folder, "host.conf"), "-e", join(folder, "host.log")], {
    log: join(folder, "host.log"),
    folder,
  });
  await untilListening(ports[0], child);
  const base = (index) => `http://127.0.0.1:${ports[index % ports.length]}`;
  return {
    process: child,
    shared: `${base(0)}/shared.pdf`,
    distinct: `${base(0)}/distinct/`,
    large: (index) => `${base(index)}/large/${index}.pdf`,
  };
}

function configuration(folder, files, ports) {
  const places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `  ${name}_temp_path ${folder}/temporary;`)
    .join("\n");
  return `worker_processes 1;
daemon off;
pid ${folder}/host.pid;
events { worker_connections 8192; multi_accept on; }
http {
${places}
  access_log off;
  keepalive_requests 1000000000;
  tcp_nodelay on;
  sendfile on;
  types { application/pdf pdf; }
  default_type application/pdf;
  server {
${ports.map((port) => `    listen 127.0.0.1:${port} backlog=4096;`).join("\n")}
    root ${files};
    set $piece "${"x".repeat(PIECE)}";
    # A content of its own for every address.
    location /distinct/ { return 200 "${PDF.trim()} $uri ${"$piece".repeat(16)}"; }
    # So slow that all of them are under way at once.
    location /large/ { limit_rate 1m; try_files /large.pdf =404; }
  }
}
`;
}
