// Checks every answer in the suite against docs/openapi.yaml.
import { appendFileSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { ValidateFunction } from "ajv";
import addFormatsModule from "ajv-formats";

const addFormats = addFormatsModule as unknown as (ajv: Ajv2020) => void;
const FILE = resolve(import.meta.dirname, "../../docs/openapi.yaml");

/** The parts of an answer that the checks read. */
export interface Answer {
  status: number;
  headers: Record<string, string>;
  text: string;
}

export type Json = any;

export const source = readFileSync(FILE, "utf8");
export const document: Json = await parsed();

/** support/global.ts has parsed it, because that takes longer than many a test. */
async function parsed(): Promise<Json> {
  const json = process.env["MERPATI_CONTRACT"];
  return json ? JSON.parse(readFileSync(json, "utf8")) : (await import("yaml")).parse(source);
}

const ajv = new Ajv2020({ strict: false, validateSchema: false, allErrors: true });
addFormats(ajv);
ajv.addSchema(document, "openapi", undefined, false);
const compiled = new Map<string, ValidateFunction>();

/** Follows `$ref`s of the document. */
export function deref(node: Json): Json {
  while (node && typeof node.$ref === "string") node = at(node.$ref.slice(2).split("/"));
  return node;
}

function at(path: string[]): Json {
  return path.reduce((node, step) => node[unescape(step)], document);
}

function unescape(step: string): string {
  return step.replaceAll("~1", "/").replaceAll("~0", "~");
}

export function escape(step: string): string {
  return encodeURIComponent(step.replaceAll("~", "~0").replaceAll("/", "~1"));
}

/** How `value` violates the schema at a JSON pointer of the document; empty: it does not. */
export function violations(pointer: string, value: unknown): string {
  let validate = compiled.get(pointer);
  if (!validate) {
    validate = ajv.compile({ $ref: `openapi#${pointer}` });
    compiled.set(pointer, validate);
  }
  return validate(value) ? "" : ajv.errorsText(validate.errors);
}

/** Throws unless `value` fits the named schema of components. */
export function expectSchema(name: string, value: unknown): void {
  const wrong = violations(`/components/schemas/${name}`, value);
  if (wrong) throw new Error(`not a ${name}: ${wrong}\n${JSON.stringify(value)}`);
}

interface Operation {
  id: string;
  pointer: string;
  node: Json;
}

/** Every documented operation by "POST /v1/send". */
export const operations: ReadonlyMap<string, Operation> = new Map(
  Object.entries<Json>(document.paths).flatMap(([path, methods]) =>
    Object.entries<Json>(methods).map(([method, node]): [string, Operation] => [
      `${method.toUpperCase()} ${path}`,
      { id: node.operationId, pointer: `/paths/${escape(path)}/${method}`, node },
    ]),
  ),
);

// Answers of the server before it knows the operation: wrong path, wrong method, broken request.
const serverResponses: Record<number, string> = {
  400: "/x-server-responses/BadRequestResponse",
  404: "/x-server-responses/NotFound",
  405: "/components/responses/MethodNotAllowed",
  408: "/components/responses/RequestTimeout",
  413: "/x-server-responses/BodyTooLargeResponse",
  414: "/x-server-responses/UriTooLong",
  431: "/components/responses/HeadersTooLarge",
  500: "/components/responses/ServerError",
  503: "/components/responses/Unavailable",
  505: "/x-server-responses/VersionNotSupported",
};

/** Throws unless the document describes this answer to this request. */
export function check(method: string, path: string, answer: Answer): void {
  const wrong = judge(method, path.split("?")[0]!, answer);
  if (wrong) {
    throw new Error(
      `${method} ${path} was answered against docs/openapi.yaml: ${wrong}\n` +
        `${answer.status} ${JSON.stringify(answer.headers)}\n${answer.text.slice(0, 2000)}`,
    );
  }
}

function judge(method: string, path: string, answer: Answer): string {
  const operation = operationAt(method, path, answer.status);
  const own = operation?.node.responses[answer.status];
  const where = own
    ? `${operation?.pointer}/responses/${answer.status}`
    : serverResponses[answer.status];
  const unresolved = own ?? (where === undefined ? undefined : at(where.slice(1).split("/")));
  if (!unresolved) return `status ${answer.status} is not documented`;
  const response = deref(unresolved);
  const pointer = unresolved.$ref ? unresolved.$ref.slice(1) : where;
  return (
    judgeHeaders(response, answer) ||
    (method === "HEAD" ? "" : judgeBody(response, pointer, operation, answer))
  );
}

function operationAt(method: string, path: string, status: number): Operation | undefined {
  // HEAD is GET without the body, and a wrong method is refused by the path's own operation.
  const wanted = method === "HEAD" ? "GET" : method;
  const atPath = [...operations].filter(([key]) => matches(key.split(" ")[1]!, path));
  const named = atPath.find(([key]) => key.startsWith(`${wanted} `))?.[1];
  if (named || status !== 405) return named;
  return atPath[0]?.[1];
}

/** Whether a path matches a template; a documented path without parameters takes precedence. */
function matches(template: string, path: string): boolean {
  if (!template.includes("{")) return template === path;
  if (operations.has(`GET ${path}`) || operations.has(`POST ${path}`)) return false;
  const pattern = template.replaceAll(".", "\\.").replaceAll(/\{\w+\}/g, "[^/]+");
  return new RegExp(`^${pattern}$`).test(path);
}

function judgeHeaders(response: Json, answer: Answer): string {
  for (const [name, unresolved] of Object.entries<Json>(response.headers ?? {})) {
    const header = deref(unresolved);
    const value = answer.headers[name.toLowerCase()];
    if (value === undefined) {
      if (header.required) return `header ${name} is missing`;
    } else if (ajv.validate(header.schema, value) !== true) {
      return `header ${name}: ${ajv.errorsText()}`;
    }
  }
  return "";
}

function judgeBody(
  response: Json,
  pointer: string,
  operation: Operation | undefined,
  answer: Answer,
): string {
  const type = (answer.headers["content-type"] ?? "").split(";")[0]!.trim();
  if (!response.content) {
    if (answer.text !== "") return "there is a body, and none documented";
    record({ operation: operation?.id ?? "", status: answer.status });
    return "";
  }
  if (response.content["*/*"] && answer.status < 400) { // A file.
    record({ operation: operation?.id ?? "", status: answer.status });
    return "";
  }
  const content = response.content[type];
  if (!content) return `content type ${type || "none"} is not documented`;
  const isJson = type === "application/json" || type === "application/problem+json";
  const value = isJson ? JSON.parse(answer.text) : answer.text;
  const wrong = violations(`${pointer}/content/${escape(type)}/schema`, value);
  if (wrong) return wrong;
  if (answer.status < 400 || type !== "application/json" || !content.examples) {
    record({ operation: operation?.id ?? "", status: answer.status });
    return "";
  }
  return judgeFailure(content.examples, operation, answer.status, value);
}

/** A failure must equal, word for word, one of the documented examples of its status. */
function judgeFailure(
  examples: Json,
  operation: Operation | undefined,
  status: number,
  value: Json,
): string {
  for (const [name, example] of Object.entries<Json>(examples)) {
    if (JSON.stringify(sorted(deref(example).value)) === JSON.stringify(sorted(value))) {
      record({ operation: operation?.id ?? "", status, example: name });
      return "";
    }
  }
  return `no example under ${status} reads like that`;
}

function sorted(value: Json): Json {
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key])]),
  );
}

/** One line per distinct answer seen, for the closing check of support/global.ts. */
export interface Seen {
  operation: string;
  status: number;
  example?: string;
}

const seen = new Set<string>();

function record(entry: Seen): void {
  const line = JSON.stringify(entry);
  const file = process.env["MERPATI_SEEN"];
  if (!file || seen.has(line)) return;
  seen.add(line);
  appendFileSync(file, line + "\n");
}

/** Answers that the suite must see: each operation and status, each named failure of sending. */
export function everythingDocumented(): Seen[] {
  return [...operations.values()].flatMap((operation) =>
    Object.entries<Json>(operation.node.responses).flatMap(([status, unresolved]) => {
      // One function makes all failures of the catalogue, so seeing them on some paths is enough.
      const inCatalogue = deref(unresolved).content?.["application/problem+json"] !== undefined;
      if (inCatalogue && status !== "401" && status !== "403") return [];
      const content = deref(unresolved).content?.["application/json"];
      const base = { operation: operation.id, status: Number(status) };
      if (Number(status) < 400 || !content?.examples) return [base];
      return Object.keys(content.examples).map((example) => ({ ...base, example }));
    }),
  );
}
