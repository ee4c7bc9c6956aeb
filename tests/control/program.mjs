// Runs a test server's main.ts on a Node without TypeScript.
import { mkdirSync, readFileSync, readdirSync, renameSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/**
 * Compiles the files of a test server (`home` and its `folders`) and of this folder that have
 * changed into `home`/dist, and imports its main. `ts`: the server's own package of TypeScript.
 */
export async function run(ts, home, folders = []) {
  const root = dirname(home);
  const target = join(home, "dist");
  const name = basename(home);
  const all = [name, ...folders.map((folder) => join(name, folder)), "control"];
  for (const folder of all) {
    for (const source of readdirSync(join(root, folder))) {
      if (source.endsWith(".ts")) compile(ts, join(root, folder, source), join(target, folder));
    }
  }
  await import(join(target, name, "main.js"));
}

function compile(ts, from, folder) {
  const to = join(folder, basename(from).replace(/\.ts$/, ".js"));
  const made = statSync(to, { throwIfNoEntry: false });
  if (made && made.mtimeMs > statSync(from).mtimeMs) return;
  const compilerOptions = {
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.ESNext,
    allowImportingTsExtensions: true,
    rewriteRelativeImportExtensions: true,
    verbatimModuleSyntax: true,
  };
  const { outputText } = ts.transpileModule(readFileSync(from, "utf8"), { compilerOptions });
  mkdirSync(folder, { recursive: true });
  // Written under another name first, because another start may be reading the file.
  writeFileSync(`${to}.${process.pid}`, outputText);
  renameSync(`${to}.${process.pid}`, to);
}
