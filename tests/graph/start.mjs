// Runs main.ts on a Node without TypeScript: compiles changed files into dist/, and imports them.
import { mkdirSync, readFileSync, readdirSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import ts from "typescript";

const here = import.meta.dirname;
const target = join(here, "dist");
const compilerOptions = {
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.ESNext,
  allowImportingTsExtensions: true,
  rewriteRelativeImportExtensions: true,
  verbatimModuleSyntax: true,
};

for (const source of readdirSync(here).filter((name) => name.endsWith(".ts"))) {
  const from = join(here, source);
  const to = join(target, source.replace(/\.ts$/, ".js"));
  const made = statSync(to, { throwIfNoEntry: false });
  if (made && made.mtimeMs > statSync(from).mtimeMs) continue;
  const { outputText } = ts.transpileModule(readFileSync(from, "utf8"), { compilerOptions });
  mkdirSync(dirname(to), { recursive: true });
  // Written under another name first, because another start may be reading the file.
  writeFileSync(`${to}.${process.pid}`, outputText);
  renameSync(`${to}.${process.pid}`, to);
}

await import(join(target, "main.js"));
