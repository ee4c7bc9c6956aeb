// Every query passes its signal on, so that a page that is left ends its requests.
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { listMessages, readStatus } from "../src/api/operations.ts";
import { firstItems } from "../src/live/paged.ts";

const SOURCES = resolve(import.meta.dirname, "../src");

const queryFunctions = (readdirSync(SOURCES, { recursive: true }) as string[])
  .filter((name) => /\.tsx?$/.test(name))
  .flatMap((name) => {
    const code = readFileSync(join(SOURCES, name), "utf8");
    return [
      ...code.matchAll(/queryFn: (.*(?:\n\s+(?!query|enabled|refetch|stale|gc).*){0,2})/g),
    ].map(([, text]) => `${name}: ${text}`);
  });

test("no query function ignores its context", () => {
  expect(queryFunctions.length).toBeGreaterThan(25);
  const ignoring = queryFunctions.filter((text) => /: \(\) =>/.test(text));
  expect(ignoring).toEqual([]);
  const passing = queryFunctions.filter((text) =>
    /context\)|cancel\)|signal\)|: read\w+,|: list\w+,|: list\w+ \}/.test(text),
  );
  expect(queryFunctions.filter((text) => !passing.includes(text))).toEqual([]);
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
