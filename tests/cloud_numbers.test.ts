// Numbers of the official platform: added, given a new token, registered, and their templates.
import { afterAll, beforeAll, expect, test } from "vitest";
import type { BusinessNumber } from "./graph/number.ts";
import type { Account } from "./support/account.ts";
import { Cloud } from "./support/cloud.ts";
import { freshNumber } from "./support/numbers.ts";
import { waitFor } from "./support/wait.ts";

let cloud: Cloud;
let owner: { key: string };

beforeAll(async () => {
  cloud = await Cloud.open();
  const { key } = await cloud.account.createKey({ scopes: "account:read,devices:manage" });
  owner = { key };
});
afterAll(() => cloud.close());

const add = (number: BusinessNumber, digits = number.digits, ...flags: string[]) =>
  cloud.cli("device", "add", cloud.account.id, digits, ...cloud.access(number), ...flags, "--json");

async function call(method: string, path: string, body?: object, account?: Account) {
  const answer = await cloud.gateway.request({
    method,
    path,
    headers: {
      authorization: `Bearer ${account?.key ?? owner.key}`,
      ...(body && { "content-type": "application/json" }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { ...answer, json: answer.text ? JSON.parse(answer.text) : undefined };
}
const listed = async () =>
  (await cloud.gateway.json("device", "list")).map(({ number }: any) => number);

test("a number that the platform confirms is connected at once, and sends", async () => {
  const number = cloud.graph.addNumber({ number: freshNumber() });
  const added = await add(number);
  expect(added.code, added.stderr).toBe(0);
  const device = JSON.parse(added.stdout);
  expect(device).toMatchObject({ state: "connected", connector: "cloud" });
  expect(device.cloud).toMatchObject({ phone_number_id: number.id });
  expect(added.stdout).not.toContain(number.token);
  expect(await cloud.outcome(undefined, number)).toMatchObject({ status: "sent", code: 200 });
});

test("another number's token, a bad one, or other digits add nothing", async () => {
  const number = cloud.graph.addNumber({ number: freshNumber() });
  const wrong = await add(number, freshNumber());
  expect(wrong.code).toBe(1);
  const malformed = cloud.write("malformed", "EAAGmalformedtoken");
  const [, , , id] = cloud.access(number);
  const flags = ["--connector", "cloud", "--phone-number-id", id!, "--token-file", malformed];
  const bad = await cloud.cli("device", "add", cloud.account.id, number.digits, ...flags);
  expect(bad.code).toBe(1);
  // The platform's answer repeats a token that it cannot read; nobody else may.
  expect(bad.stderr + bad.stdout).not.toContain("EAAGmalformedtoken");
  expect(bad.stderr).toContain("190");
  expect(cloud.gateway.log).not.toContain("EAAGmalformedtoken");
  const foreign = cloud.write("foreign", cloud.number.token);
  const other = [...flags.slice(0, -1), foreign];
  expect((await cloud.cli("device", "add", cloud.account.id, number.digits, ...other)).code).toBe(
    1,
  );
  expect(await listed()).not.toContain(number.digits);
});

test("with the platform out of reach nothing is added: 502", async () => {
  const number = cloud.graph.addNumber({ number: freshNumber() });
  await cloud.graph.stop();
  const answer = await call("POST", "/v1/devices", {
    number: number.digits,
    connector: "cloud",
    cloud: { phone_number_id: number.id, token: number.token },
  }).finally(() => cloud.graph.listen());
  expect(answer.status).toBe(502);
  expect(await listed()).not.toContain(number.digits);
});

test("one phone_number_id belongs to one device", async () => {
  const again = cloud.number;
  const answer = await call("POST", "/v1/devices", {
    number: freshNumber(),
    connector: "cloud",
    cloud: { phone_number_id: again.id, token: again.token },
  });
  expect([409, 422]).toContain(answer.status);
  const twin = cloud.graph.addNumber({ number: freshNumber() });
  const body = { connector: "cloud", cloud: { phone_number_id: twin.id, token: twin.token } };
  expect((await call("POST", "/v1/devices", { ...body, number: twin.digits })).status).toBe(200);
  const stranger = await cloud.gateway.account();
  await stranger.createKey({ scopes: "devices:manage" });
  await cloud.gateway.json("device", "remove", twin.digits);
  const moved = await call("POST", "/v1/devices", { ...body, number: twin.digits }, stranger);
  expect(moved.status).toBe(200);
  const { cloud: shown, ...rest } = moved.json;
  expect(shown).toMatchObject({ phone_number_id: twin.id });
  expect(JSON.stringify(rest)).not.toContain(twin.token);
});

test("token and app secret are encrypted in the store, and shown nowhere", async () => {
  const secret = "rahasia-aplikasi-sendiri";
  const number = await cloud.connect(
    { secret },
    undefined,
    "--app-secret-file",
    cloud.write("own", secret),
  );
  const shown = await call("GET", `/v1/devices/${number.digits}`);
  expect(shown.text).not.toMatch(new RegExp(`${number.token}|${secret}`));
  const list = await cloud.cli("device", "list", "--json");
  expect(list.stdout).not.toContain(number.token);
  const stored = cloud.gateway.stored();
  expect(stored.includes(number.id)).toBe(true);
  expect(stored.includes(number.token)).toBe(false);
  expect(stored.includes(secret)).toBe(false);
  const configuration = await cloud.cli("config", "show");
  expect(configuration.stdout).toContain("cloud.verify_token");
  expect(configuration.stdout).not.toContain(cloud.verifyToken);
  cloud.gateway.secrets.add(secret);
});

test("a new token is checked: a good one connects, a bad one changes nothing", async () => {
  const number = await cloud.connect();
  const set = (token: string) =>
    cloud.cli("device", "set", number.digits, "--token-file", cloud.write("new", token));
  expect((await set("EAAGsalah")).code).toBe(1);
  expect(await cloud.outcome(undefined, number)).toMatchObject({ code: 200 });
  number.tokenSubcode = 463;
  const waiting = await cloud.send(undefined, number);
  expect(await cloud.untilDevice(number, "disconnected")).toMatchObject({
    state_reason: expect.stringContaining("190"),
  });
  expect(await cloud.state(waiting.id)).toBe("pending");
  number.token = "EAAGtokenbaru123";
  number.tokenSubcode = undefined;
  cloud.gateway.secrets.add(number.token);
  const answer = await call("PATCH", `/v1/devices/${number.digits}`, {
    cloud: { token: number.token },
  });
  expect(answer.status, answer.text).toBe(200);
  expect(answer.json.state).toBe("connected");
  expect(await cloud.end(waiting)).toMatchObject({ code: 200 });
});

test("device/addnew leaves a number disconnected until it has a token", async () => {
  const gateway = await Cloud.open({ settings: { "devices.default_connector": "cloud" } });
  const number = gateway.graph.addNumber({ number: freshNumber() });
  const made = await gateway.account.addDevice({ device: number.digits });
  expect(made.status, made.text).toBe(200);
  expect(await gateway.device(number)).toMatchObject({ state: "disconnected", connector: "cloud" });
  const token = gateway.write("late", number.token);
  const flags = ["--phone-number-id", number.id, "--token-file", token];
  const set = await gateway.cli("device", "set", number.digits, ...flags);
  expect(set.code, set.stderr).toBe(0);
  expect(await gateway.outcome(undefined, number)).toMatchObject({ code: 200 });
  await gateway.close();
});

test("a number is registered by its PIN, and by a code and its PIN", async () => {
  const number = await cloud.connect({ pin: "123456" });
  number.registered = false;
  const waiting = await cloud.send(undefined, number);
  expect(await cloud.untilDevice(number, "disconnected")).toMatchObject({
    state_reason: expect.stringContaining("133010"),
  });
  const wrong = await cloud.cli("device", "pair", number.digits, "--pin", "000000");
  expect(wrong.code).not.toBe(0);
  const right = await cloud.cli(
    "device",
    "pair",
    number.digits,
    "--pin",
    "123456",
    "--queue",
    "send",
  );
  expect(right.code, right.stderr).toBe(0);
  expect(await cloud.end(waiting)).toMatchObject({ code: 200 });

  number.registered = false;
  number.verified = false;
  await cloud.send(undefined, number);
  await cloud.untilDevice(number, "disconnected");
  const paired = call("POST", `/v1/devices/${number.digits}/pair`, { method: "sms" });
  expect((await paired).status).toBe(200);
  await waitFor("the code", () => number.code !== "");
  const step = (await call("GET", `/v1/devices/${number.digits}/pairing`)).json;
  expect(step).toMatchObject({ state: "pairing", method: "otp" });
  const answered = (answer: string) =>
    call("POST", `/v1/devices/${number.digits}/pairing/answer`, { answer });
  expect((await answered("000000")).status).toBe(409);
  expect((await answered(number.code)).status).toBe(200);
  await waitFor("the question for the PIN", async () => (await answered("123456")).status === 200);
  expect(await cloud.untilDevice(number, "connected")).toBeTruthy();
});

test("templates are listed in pages, and 409 without a WABA", async () => {
  const { waba, digits } = cloud.number;
  for (let index = 0; index < 60; index += 1) {
    const body = index % 2 ? "Halo {{1}}, pesanan {{2}}" : "Halo";
    cloud.graph.templates.add(waba, { name: `kabar_${index}`, language: "id", body });
  }
  const names: string[] = [];
  for (let next = ""; ; ) {
    const page = await call("GET", `/v1/devices/${digits}/templates${next}`);
    expect(page.status, page.text).toBe(200);
    names.push(...page.json.items.map(({ name }: any) => name));
    if (!page.json.next) {
      expect(page.json.items[1]).toMatchObject({
        language: "id",
        category: "UTILITY",
        status: "APPROVED",
        body: "Halo {{1}}, pesanan {{2}}",
        variables: 2,
      });
      break;
    }
    next = `?cursor=${encodeURIComponent(page.json.next)}`;
  }
  expect(names).toEqual(Array.from({ length: 60 }, (_, index) => `kabar_${index}`));
  const table = await cloud.cli("device", "templates", digits);
  expect(table.stdout).toContain("kabar_0");
  const bare = cloud.graph.addNumber({ number: freshNumber() });
  expect((await add(bare)).code).toBe(0);
  expect((await call("GET", `/v1/devices/${bare.digits}/templates`)).status).toBe(409);
});

test("a fallback template must exist, be approved, and have one variable", async () => {
  const { waba, digits } = cloud.number;
  const add = (name: string, body: string, status = "APPROVED") =>
    cloud.graph.templates.add(waba, { name, language: "id", body, status });
  add("satu", "Kabar: {{1}}");
  add("dua", "{{1}} dan {{2}}");
  add("tanpa", "Halo");
  add("belum", "Kabar: {{1}}", "PENDING");
  const set = (template: string) =>
    cloud.cli("device", "set", digits, "--fallback-template", template);
  for (const bad of ["dua:id", "tanpa:id", "belum:id", "hilang:id", "satu:en"]) {
    expect((await set(bad)).code, bad).toBe(1);
  }
  expect((await set("satu:id")).code).toBe(0);
  const shown = async () => (await cloud.device(cloud.number)).fallback_template;
  expect(await shown()).toBe("satu:id");
  expect((await set("none")).code).toBe(0);
  expect(await shown()).toBeNull();
  const patched = await call("PATCH", `/v1/devices/${digits}`, { fallback_template: "satu:id" });
  expect(patched.status, patched.text).toBe(200);
  const removed = await call("PATCH", `/v1/devices/${digits}`, { fallback_template: null });
  expect(removed.json.fallback_template).toBeNull();
});

test("only loopback may be reached over plain HTTP", async () => {
  const flags = ["--set", "cloud.url=http://graph.example.org"];
  const refused = await cloud.cli(...flags, "serve");
  expect(refused.code).not.toBe(0);
  expect(refused.stderr).toContain("cloud.url");
});
