// The server's self-signed certificate, made by the machine's openssl program.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

export interface TlsFiles {
  certificateFile: string;
  certificate: string;
  key: string;
}

const days = 2;

export function makeTlsFiles(folder: string): TlsFiles {
  const certificateFile = join(folder, "root.pem");
  const keyFile = join(folder, "root.key");
  const algorithm = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  const names = ["-subj", "/CN=stand-in", "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost"];
  const files = ["-keyout", keyFile, "-out", certificateFile];
  const args = ["req", "-x509", ...algorithm, ...files, "-days", String(days), ...names];
  execFileSync("openssl", args, { stdio: "pipe" });
  return {
    certificateFile,
    certificate: readFileSync(certificateFile, "utf8"),
    key: readFileSync(keyFile, "utf8"),
  };
}
