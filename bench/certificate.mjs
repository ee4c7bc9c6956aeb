// A certificate of this machine, which is its own authority.
import { execFileSync } from "node:child_process";
import { join } from "node:path";

/** Made in the folder; valid a day, for 127.0.0.1 and localhost. Returns its files. */
export function makeCertificate(folder) {
  const [file, key] = [join(folder, "certificate.pem"), join(folder, "key.pem")];
  const request = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1";
  const names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost"];
  execFileSync("openssl", [...request.split(" "), ...names, "-keyout", key, "-out", file], {
    stdio: "ignore",
  });
  return { file, key };
}
