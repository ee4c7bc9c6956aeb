import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { changesOf } from "../src/features/server/log.tsx";
import { formatFor } from "../src/texts/format.ts";
import { textsOf } from "../src/texts/index.tsx";

const format = formatFor("en");
const names = { gap_ms: "Gap (ms)", scopes: "Scopes", memberships: "Accounts" };

test("each change is a line in words, not the log's JSON", () => {
  const before = { gap_ms: 0, scopes: ["send"], memberships: [], other: null };
  const after = {
    gap_ms: 3000,
    scopes: ["send", "messages:read"],
    memberships: [{ account: "acc_1", role: "owner" }],
    other: true,
  };
  expect(changesOf({ before, after } as never, names, format)).toEqual([
    "Gap (ms): 0 → 3,000",
    "Scopes: send → send, messages:read",
    "Accounts: – → account acc_1, role owner",
    "other: – → true",
  ]);
});

test("what was made or removed has no changes", () => {
  expect(changesOf({ before: null, after: { name: "x" } } as never, names, format)).toEqual([]);
});

test("every operation that changes something has a name", () => {
  const table = resolve(import.meta.dirname, "../../src/api/operations.cpp");
  const rows = [
    ...readFileSync(table, "utf8").matchAll(/Method::(post|patch|put|del),\s*"(\/v1\/[^"]*)"/g),
  ];
  expect(rows.length).toBeGreaterThan(40); // Else the test does not find them.
  const names = textsOf("en").log.operations as Record<string, string>;
  const nameless = rows
    .map(([, method = "", path]) => `${method === "del" ? "DELETE" : method.toUpperCase()} ${path}`)
    .filter((operation) => !names[operation]);
  expect(nameless, "add them to web/src/texts/log.ts").toEqual([]);
});
