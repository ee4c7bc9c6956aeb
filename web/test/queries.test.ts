// Every query passes its signal on, so that a page that is left ends its requests.
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { listMessages } from "../src/api/messages.ts";
import { firstItems } from "../src/api/pages.ts";
import { readStatus } from "../src/api/server.ts";

const SOURCES = resolve(import.meta.dirname, "../src");

const sources = (readdirSync(SOURCES, { recursive: true }) as string[])
  .filter((name) => /\.tsx?$/.test(name))
  .map((name) => ({ name, code: readFileSync(join(SOURCES, name), "utf8") }));

test("every query gives its signal to its requests", () => {
  const calls = sources
    .filter(({ name }) => name.startsWith("queries/"))
    .flatMap(({ code }) => [
      ...code.matchAll(/\b(?:list|read|check|preview|show)[A-Z]\w*\((?:[^()]|\([^()]*\))*\)/g),
    ])
    .map(([call]) => call);
  expect(calls.length).toBeGreaterThan(30); // Else the test does not find them.
  expect(calls.filter((call) => !call.endsWith("cancel)"))).toEqual([]);
});

afterEach(() => vi.unstubAllGlobals());

test("operations give the signal to their requests", async () => {
  const asked: Request[] = [];
  vi.stubGlobal("fetch", async (request: Request) => {
    asked.push(request);
    return new Response('{"items":[],"next":null}');
  });
  const ended = new AbortController();
  await listMessages({ account: "acc_1" }, ended);
  await readStatus(ended);
  await firstItems(
    (cursor, cancel) => listMessages({ account: "acc_1", cursor: cursor ?? "" }, cancel),
    ended,
  );
  ended.abort();
  expect(asked.map(({ signal }) => signal.aborted)).toEqual([true, true, true]);
});
