// What a first visit downloads, after `npm run build`.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";

const DIST = resolve(import.meta.dirname, "../dist");
const KB = 1000;

const files = readdirSync(join(DIST, "assets"))
  .filter((name) => /\.(js|css)$/.test(name))
  .map((name) => {
    const text = readFileSync(join(DIST, "assets", name));
    return { name, text: text.toString(), gzip: gzipSync(text, { level: 9 }).length };
  });

/** The file that the page starts with, and all that it imports at once. */
function initialScripts(): Set<string> {
  const html = readFileSync(join(DIST, "index.html"), "utf8");
  const found = new Set<string>();
  const add = (name: string) => {
    if (found.has(name)) return;
    found.add(name);
    const text = files.find((file) => file.name === name)?.text ?? "";
    for (const [, other] of text.matchAll(/(?:from|import)\s*["']\.\/([\w.-]+\.js)["']/g)) {
      if (other) add(other);
    }
  };
  for (const [, name] of html.matchAll(/assets\/([\w.-]+\.js)/g)) if (name) add(name);
  return found;
}

const total = (list: typeof files) => list.reduce((sum, file) => sum + file.gzip, 0);

test("the initial scripts stay below 230 kB", () => {
  const initial = initialScripts();
  expect(initial.size).toBeGreaterThan(0);
  const bytes = total(files.filter((file) => initial.has(file.name)));
  expect(bytes).toBeGreaterThan(100 * KB); // Else the test does not find them.
  expect(bytes).toBeLessThan(230 * KB);
});

test("the initial styles stay below 45 kB, those of each later part below 6 kB", () => {
  const html = readFileSync(join(DIST, "index.html"), "utf8");
  const styles = files.filter((file) => file.name.endsWith(".css"));
  const initial = styles.filter(({ name }) => html.includes(name));
  expect(initial.length).toBeGreaterThan(0);
  expect(total(initial)).toBeLessThan(45 * KB);
  for (const file of styles.filter((one) => !initial.includes(one))) {
    expect(file.gzip, file.name).toBeLessThan(6 * KB);
  }
});

test("each later script stays below 60 kB", () => {
  const initial = initialScripts();
  for (const file of files.filter(({ name }) => name.endsWith(".js") && !initial.has(name))) {
    expect(file.gzip, file.name).toBeLessThan(60 * KB);
  }
});

test("all of it stays below 1.5 MB, and has its compressed forms", () => {
  const names = readdirSync(join(DIST, "assets"));
  const plain = names.filter((name) => !/\.(gz|br)$/.test(name));
  const bytes = plain.reduce((sum, name) => sum + statSync(join(DIST, "assets", name)).size, 0);
  expect(bytes).toBeLessThan(1500 * KB);
  expect(names.filter((name) => name.endsWith(".js.br")).length).toBeGreaterThan(5);
});

test("the page has no scripts or styles of its own", () => {
  const html = readFileSync(join(DIST, "index.html"), "utf8");
  expect(html).not.toMatch(/<style|style=|<script(?![^>]*src=)|\son\w+=/);
});
