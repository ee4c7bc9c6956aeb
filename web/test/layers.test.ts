// Which folders of src/ may import which.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { expect, test } from "vitest";

const SOURCES = resolve(import.meta.dirname, "../src");

const sources = (readdirSync(SOURCES, { recursive: true }) as string[])
  .filter((file) => /\.tsx?$/.test(file))
  .map((file) => ({ file, code: readFileSync(join(SOURCES, file), "utf8") }));

/** Each import of another file of src/, by the paths below src/. */
const imports = sources.flatMap(({ file, code }) => {
  const names = code.matchAll(/(?:from |import |import\()"(\.[^"]+)"/g);
  return [...names].map(([, name]) => ({
    file,
    of: relative(SOURCES, join(SOURCES, dirname(file), name ?? "")),
  }));
});

const folderOf = (path: string) => path.split("/").slice(0, -1).join("/");

test("ui/ imports nothing above it", () => {
  const fromUi = imports.filter(({ file }) => file.startsWith("ui/"));
  expect(fromUi.length).toBeGreaterThan(50); // Else the test does not find them.
  const above = fromUi.filter(({ of }) => /^(features|live|session|shell|app\.tsx)/.test(of));
  expect(above).toEqual([]);
});

test("queries/ imports only api/", () => {
  const fromQueries = imports.filter(({ file }) => file.startsWith("queries/"));
  expect(fromQueries.length).toBeGreaterThan(10);
  expect(fromQueries.filter(({ of }) => !/^(api|queries)\//.test(of))).toEqual([]);
});

test("keys of queries are written only in queries/", () => {
  const written = /(?:queryKey: |QueryData(?:<.*>)?\()\["/;
  const withKeys = sources.filter(({ code }) => written.test(code)).map(({ file }) => file);
  expect(withKeys.length).toBeGreaterThan(3);
  expect(withKeys.filter((file) => !file.startsWith("queries/"))).toEqual([]);
});

test("styles are imported only in their own folder, shared ones from ui/", () => {
  const styles = imports.filter(({ of }) => of.endsWith(".module.css"));
  expect(styles.length).toBeGreaterThan(20);
  const borrowed = styles.filter(
    ({ file, of }) => folderOf(of) !== folderOf(file) && folderOf(of) !== "ui",
  );
  expect(borrowed).toEqual([]);
});
