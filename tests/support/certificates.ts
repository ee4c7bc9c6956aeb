// The suite's certificate authority, made by the machine's openssl program.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchFolder } from "./scratch.ts";

export interface Certificates {
  caFile: string;
  ca: string;
  certificateFile: string;
  keyFile: string;
  certificate: string;
  key: string;
}

let made: Certificates | undefined;

/** A server certificate for 127.0.0.1 and localhost, and the CA that signed it. */
export function certificates(): Certificates {
  made ??= make(scratchFolder("ca"));
  return made;
}

function make(folder: string): Certificates {
  const file = (name: string) => join(folder, name);
  const openssl = (...args: string[]) => execFileSync("openssl", args, { stdio: "pipe" });
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  openssl(
    "req",
    "-x509",
    ...key,
    "-keyout",
    file("ca.key"),
    "-out",
    file("ca.pem"),
    "-subj",
    "/CN=merpati test CA",
    "-days",
    "2",
    "-addext",
    "keyUsage=critical,keyCertSign,cRLSign",
  );
  openssl(
    "req",
    ...key,
    "-keyout",
    file("server.key"),
    "-out",
    file("server.csr"),
    "-subj",
    "/CN=localhost",
  );
  writeFileSync(file("server.ext"), "subjectAltName=IP:127.0.0.1,DNS:localhost\n");
  openssl(
    "x509",
    "-req",
    "-in",
    file("server.csr"),
    "-CA",
    file("ca.pem"),
    "-CAkey",
    file("ca.key"),
    "-CAcreateserial",
    "-out",
    file("server.pem"),
    "-days",
    "2",
    "-extfile",
    file("server.ext"),
  );
  return {
    caFile: file("ca.pem"),
    ca: readFileSync(file("ca.pem"), "utf8"),
    certificateFile: file("server.pem"),
    keyFile: file("server.key"),
    certificate: readFileSync(file("server.pem"), "utf8"),
    key: readFileSync(file("server.key"), "utf8"),
  };
}
