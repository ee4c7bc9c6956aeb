// How the gateway serves the web app's files.
import { afterAll, beforeAll, expect, test } from "vitest";
import { Gateway } from "./support/gateway.ts";
import { exchange } from "./support/http.ts";

let gateway: Gateway;

beforeAll(async () => {
  gateway = await Gateway.create();
});
afterAll(() => gateway.close());

const get = (path: string, headers: Record<string, string> = {}) =>
  exchange({ method: "GET", url: gateway.url + path, headers });

const browser = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };

async function script(): Promise<string> {
  const page = await get("/app/", browser);
  return /\/app\/assets\/[\w.-]+\.js/.exec(page.text)![0];
}

test("the root leads to the app", async () => {
  for (const path of ["/", "/app"]) {
    const answer = await get(path, browser);
    expect(answer.status).toBe(302);
    expect(answer.headers["location"]).toBe("/app/");
  }
});

test("its page is asked for each time, and answered only when it is another", async () => {
  const page = await get("/app/messages/some-id?state=failed", browser);
  expect(page.status).toBe(200);
  expect(page.headers["content-type"]).toBe("text/html; charset=utf-8");
  expect(page.headers["cache-control"]).toBe("no-cache");
  const again = await get("/app/", { ...browser, "if-none-match": page.headers["etag"]! });
  expect(again.status).toBe(304);
  expect(again.text).toBe("");
});

test("hashed files are kept for ever, in the smallest form that is taken", async () => {
  const path = await script();
  const plain = await get(path);
  expect(plain.headers["cache-control"]).toBe("public, max-age=31536000, immutable");
  expect(plain.headers["content-type"]).toBe("text/javascript; charset=utf-8");
  expect(plain.headers["content-encoding"]).toBeUndefined();
  for (const coding of ["br", "gzip"]) {
    const packed = await get(path, { "accept-encoding": coding });
    expect(packed.headers["content-encoding"]).toBe(coding);
    expect(packed.headers["vary"]).toBe("Accept-Encoding");
    const length = Number(packed.headers["content-length"]);
    expect(length).toBeLessThan(Number(plain.headers["content-length"]) / 2);
    expect(packed.headers["etag"]).not.toBe(plain.headers["etag"]);
  }
});

test("nobody may frame it, and nothing of another origin runs in it", async () => {
  for (const path of ["/app/", await script(), "/app/nothing.js"]) {
    const { headers } = await get(path);
    const policy = headers["content-security-policy"]!;
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain("unsafe");
    expect(headers["x-frame-options"]).toBe("DENY");
    expect(headers["x-content-type-options"]).toBe("nosniff");
    expect(headers["referrer-policy"]).toBe("same-origin");
  }
});

test("programs are not answered pages: what is not there is 404", async () => {
  expect((await get("/app/messages/some-id", { accept: "application/json" })).status).toBe(404);
  expect((await get("/app/assets/old-1234.js", browser)).status).toBe(404);
  const api = await get("/v1/no-such-thing", browser);
  expect(api.status).toBe(404);
  expect(api.headers["content-type"]).toContain("json");
  expect((await exchange({ method: "POST", url: `${gateway.url}/app/` })).status).toBe(405);
});
