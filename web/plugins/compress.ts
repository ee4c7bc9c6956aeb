// Leaves gzip and brotli forms beside the files of dist, for the gateway to send as they are.
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import type { Plugin } from "vite";

const COMPRESSIBLE = /\.(html|js|css|svg|json|webmanifest|txt)$/;
const WORTH_IT = 0.95; // A form that saves less than a twentieth is left out.

export function compress(): Plugin {
  let folder = "dist";
  return {
    name: "compress",
    apply: "build",
    configResolved: (config) => {
      folder = config.build.outDir;
    },
    closeBundle: () => {
      for (const file of filesBelow(folder).filter((path) => COMPRESSIBLE.test(path))) {
        writeForms(file);
      }
    },
  };
}

function writeForms(file: string): void {
  const plain = readFileSync(file);
  const forms = {
    gz: gzipSync(plain, { level: 9 }),
    br: brotliCompressSync(plain, {
      params: { [constants.BROTLI_PARAM_SIZE_HINT]: plain.length },
    }),
  };
  for (const [ending, form] of Object.entries(forms)) {
    if (form.length < plain.length * WORTH_IT) writeFileSync(`${file}.${ending}`, form);
  }
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? filesBelow(path) : [path];
  });
}
