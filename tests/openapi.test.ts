// docs/openapi.yaml, and the server's copy of it.
import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { deref, document, operations, source, violations, type Json } from "./support/contract.ts";
import { Gateway } from "./support/gateway.ts";

let gateway: Gateway;
beforeAll(async () => void (gateway = await Gateway.create()));
afterAll(() => gateway.close());

test("every example of the document fits its own schema", () => {
  const wrong: string[] = [];
  const visit = (node: Json, pointer: string): void => {
    if (node === null || typeof node !== "object") return;
    if (node.schema && node.examples && !Array.isArray(node.examples)) {
      for (const [name, example] of Object.entries<Json>(node.examples)) {
        const problem = violations(`${pointer}/schema`, deref(example).value);
        if (problem) wrong.push(`${pointer}/examples/${name}: ${problem}`);
      }
    }
    for (const [key, child] of Object.entries<Json>(node)) {
      visit(
        child,
        `${pointer}/${encodeURIComponent(key.replaceAll("~", "~0").replaceAll("/", "~1"))}`,
      );
    }
  };
  visit(document, "");
  expect(wrong).toEqual([]);
});

test("every reference of the document leads somewhere", () => {
  const references = [...source.matchAll(/\$ref: "([^"]+)"/g)].map((match) => match[1]!);
  expect(references.length).toBeGreaterThan(50);
  for (const reference of references) expect(deref({ $ref: reference }), reference).toBeDefined();
});

test("a text is more than what Unicode calls white space", () => {
  const problem = (text: string) => violations("/components/schemas/Text", text);
  expect(problem("\t\u0085\u00a0\u2003\u3000 ")).toBeTruthy();
  for (const text of ["x", " x ", "\u200b", "\ufeff"]) expect(problem(text)).toBeFalsy();
});

test("no field of a request has a default, which generators of types take as required", () => {
  const found: string[] = [];
  const seen = new Set<Json>();
  const visit = (node: Json, path: string): void => {
    if (typeof node !== "object" || seen.has(node)) return;
    seen.add(node);
    if ("default" in node) found.push(path); // Beside a `$ref`, too.
    const schema = deref(node);
    if (schema !== node) visit(schema, path);
    for (const [name, field] of Object.entries<Json>(schema.properties ?? {})) {
      visit(field, `${path}.${name}`);
    }
    for (const part of ["items", "additionalProperties", "not", "if", "then", "else"]) {
      visit(schema[part], path);
    }
    for (const part of ["allOf", "anyOf", "oneOf"]) {
      for (const one of schema[part] ?? []) visit(one, path);
    }
  };
  let bodies = 0;
  for (const path of Object.values<Json>(document.paths)) {
    for (const operation of Object.values<Json>(path)) {
      for (const { schema } of Object.values<Json>(
        deref(operation.requestBody ?? {}).content ?? {},
      )) {
        bodies += 1;
        visit(schema, operation.operationId);
      }
    }
  }
  expect(bodies).toBeGreaterThan(20);
  expect(found).toEqual([]);
});

test("operation ids are unique", () => {
  const ids = [...operations.values()].map((operation) => operation.id);
  expect(new Set(ids).size).toBe(ids.length);
});

test("the linter's recommended rules find nothing in it", async () => {
  const cli = resolve(import.meta.dirname, "node_modules/@redocly/cli/bin/cli.js");
  const file = resolve(import.meta.dirname, "../docs/openapi.yaml");
  const quiet = { REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
  const lint = promisify(execFile)(process.execPath, [cli, "lint", "--format=json", file], {
    env: { ...process.env, ...quiet },
    cwd: import.meta.dirname,
  });
  // The linter exits with 1 for errors; warnings are only in its output.
  const { stdout } = await lint.catch((failed: { stdout: string }) => failed);
  expect(JSON.parse(stdout.slice(stdout.indexOf("{"))).problems).toEqual([]);
}, 60_000);

test("the server serves this very document", async () => {
  const answer = await gateway.request({ method: "GET", path: "/openapi.yaml" });
  expect(answer.text).toBe(source);
  const asJson = await gateway.request({ method: "GET", path: "/openapi.json" });
  expect(JSON.parse(asJson.text)).toEqual(document);
});

test("every documented operation is there, and no other method of its path", async () => {
  for (const operation of operations.keys()) {
    const [method, template] = operation.split(" ") as [string, string];
    const path = template.replaceAll(/\{\w+\}/g, "1");
    expect((await gateway.request({ method, path })).status, operation).not.toBe(404);
    const answer = await gateway.request({ method: "OPTIONS", path });
    expect(answer.status, path).toBe(405);
    expect(answer.headers["allow"]).toContain(method);
  }
});

test.each([
  "/v1",
  "/v1/",
  "/v1/send/",
  "/v1/device",
  "/V1/send",
  "/v1/send/x",
  "/v2/send",
  "//v1/send",
])("%s is not found", async (path) => {
  expect((await gateway.request({ method: "POST", path, body: "{}" })).status).toBe(404);
});
