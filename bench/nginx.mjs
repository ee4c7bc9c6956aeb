// Starts nginx, which answers at little cost, as receiver of callbacks and as host of media.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort, start, untilListening } from "./processes.mjs";

/**
 * Listens on `addresses` loopback addresses. `http` and `server` are directives for the blocks of
 * these names. `certificate`: its files, for TLS. Resolves with {process, hosts}; a host is
 * "127.0.0.1:4711".
 */
export async function startNginx(folder, name, { addresses, http, server, certificate }) {
  mkdirSync(join(folder, "temporary"), { recursive: true });
  const port = await freePort();
  const hosts = Array.from({ length: addresses }, (_, index) => `127.0.0.${index + 1}:${port}`);
  const [file, log] = [join(folder, `${name}.conf`), join(folder, `${name}.log`)];
  const places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((place) => `  ${place}_temp_path ${folder}/temporary;`)
    .join("\n");
  writeFileSync(
    file,
    `worker_processes 1;
daemon off;
pid ${folder}/${name}.pid;
events { worker_connections 8192; multi_accept on; }
http {
${places}
  access_log off;
  keepalive_requests 1000000000;
  tcp_nodelay on;
${http}
  server {
${hosts.map((host) => `    listen ${host}${certificate ? " ssl" : ""} backlog=4096;`).join("\n")}
${certificate ? tlsLines(certificate) : ""}
${server}
  }
}
`,
  );
  const child = start("nginx", ["-c", file, "-e", log], { log, folder });
  await untilListening(port, child);
  return { process: child, hosts };
}

const tlsLines = ({ file, key }) => `    ssl_certificate ${file};
    ssl_certificate_key ${key};
    ssl_session_cache shared:sessions:10m;`;
