// Runs the samples of docs/api.md, which must do what the page says.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { deref, document, operations } from "./support/contract.ts";
import { detailsOfSource } from "./support/details.ts";
import { scratchFolder } from "./support/scratch.ts";
import { sign } from "./support/signature.ts";

const page = readFileSync(resolve(import.meta.dirname, "../docs/api.md"), "utf8");
const folder = scratchFolder("docs");

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const body = '{"device":6289876543210,"details":"tanda kutip \\" dan é"}';
const now = String(Math.floor(Date.now() / 1000));
const old = String(Math.floor(Date.now() / 1000) - 1000);

const headers = (timestamp: string, signature: string) => ({
  "webhook-id": "evt-1",
  "webhook-timestamp": timestamp,
  "webhook-signature": signature,
});
const good = sign(secret, "evt-1", now, body);
const cases: [name: string, headers: Record<string, string>, genuine: boolean][] = [
  ["a genuine one", headers(now, good), true],
  ["one signed with two secrets", headers(now, `v1,AAAA ${good}`), true],
  ["one of another body", headers(now, sign(secret, "evt-1", now, "{}")), false],
  ["one of another secret", headers(now, sign("whsec_AAAA", "evt-1", now, body)), false],
  ["an old one", headers(old, sign(secret, "evt-1", old, body)), false],
  ["one without headers", {}, false],
];

function sample(language: string): string {
  const found = new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(page);
  if (!found) throw new Error(`docs/api.md has no sample in ${language}`);
  return found[1]!;
}

test.each(cases)("the JavaScript sample judges %s", async (_, given, genuine) => {
  const file = join(folder, "sample.mjs");
  writeFileSync(file, sample("js"));
  const { callbackIsGenuine } = await import(file);
  expect(callbackIsGenuine(secret, given, body)).toBe(genuine);
});

const batch = JSON.stringify({
  events: [
    { id: "a", payload: 1 },
    { id: "b", payload: 2 },
  ],
});
const forms: [name: string, body: string, events: { id: string; payload: unknown }[]][] = [
  ["a batch", batch, JSON.parse(batch).events],
  ["a single callback", '{"code":200}', [{ id: "evt-1", payload: { code: 200 } }]],
];

test.each(forms)("the JavaScript sample reads %s", async (_, text, events) => {
  const file = join(folder, "sample.mjs");
  writeFileSync(file, sample("js"));
  const { eventsOf } = await import(file);
  expect(eventsOf(headers(now, good), text)).toEqual(events);
});

test.each(forms)("the Python sample reads %s", (_, text, events) => {
  const call = `print(json.dumps(events_of(${JSON.stringify(headers(now, good))}, b'${text}')))`;
  const answer = execFileSync("python3", ["-c", `${sample("python")}\n${call}`], {
    encoding: "utf8",
  });
  expect(JSON.parse(answer)).toEqual(events);
});

test.each(forms)("the PHP sample reads %s", (_, text, events) => {
  const [, reading] = /(\$callback = [\s\S]*?;\n)foreach/.exec(sample("php"))!;
  const call =
    `$headers = ['webhook-id' => 'evt-1']; $body = '${text}';\n` +
    `${reading}echo json_encode($events);`;
  const file = join(folder, "reading.php");
  writeFileSync(file, `<?php\n${call}`);
  expect(JSON.parse(execFileSync("php", [file], { encoding: "utf8" }))).toEqual(events);
});

test.each(cases)("the Python sample judges %s", (_, given, genuine) => {
  const call =
    `print(callback_is_genuine(${JSON.stringify(secret)}, ${JSON.stringify(given)}, ` +
    `base64.b64decode("${Buffer.from(body).toString("base64")}")))`;
  const answer = execFileSync("python3", ["-c", `${sample("python")}\n${call}`], {
    encoding: "utf8",
  });
  expect(answer.trim()).toBe(genuine ? "True" : "False");
});

test.each(cases)("the PHP sample judges %s", (_, given, genuine) => {
  const [declaration] = sample("php").split("\n$body");
  const call =
    `var_export(callback_is_genuine('${secret}', json_decode('${JSON.stringify(given)}', true), ` +
    `base64_decode('${Buffer.from(body).toString("base64")}')));`;
  const file = join(folder, "sample.php");
  writeFileSync(file, `${declaration}\n${call}`);
  expect(execFileSync("php", [file], { encoding: "utf8" }).trim()).toBe(String(genuine));
});

test("every text of openapi.yaml's answers is on the page", () => {
  const text = page.replaceAll(/\s+/g, " ");
  const missing = new Set<string>();
  for (const operation of operations.values()) {
    for (const response of Object.values<any>(operation.node.responses)) {
      const examples = deref(response).content?.["application/json"]?.examples ?? {};
      for (const example of Object.values(examples)) {
        const { message } = deref(example).value;
        if (!text.includes(message)) missing.add(message);
      }
    }
  }
  expect([...missing]).toEqual([]);
});

test("the details that openapi.yaml and the page show are ones that are sent", () => {
  const sent = new Set(detailsOfSource().values());
  const examples = Object.values<any>(document.components.examples);
  const shown = examples.flatMap(({ value }) => value.details ?? []);
  expect(shown.length).toBeGreaterThan(4);
  const onPage = [...page.matchAll(/"details": "([^"]+)"/g)].map((match) => match[1]!);
  expect(onPage).toHaveLength(2);
  expect([...shown, ...onPage].filter((details) => !sent.has(details))).toEqual([]);
});

test("all details of callbacks are on the pages", () => {
  const pages = page + readFileSync(resolve(import.meta.dirname, "../docs/media.md"), "utf8");
  const missing = [...detailsOfSource()].filter(([, details]) => !pages.includes(`\`${details}\``));
  expect(missing).toEqual([]);
});
