import { afterEach, expect, test, vi } from "vitest";
import { answerOf, client, given, queryText, sessionEnded } from "../src/api/client.ts";
import { Problem } from "../src/api/problem.ts";

function answer(status: number, body: unknown, type = "application/json") {
  const headers = { "Content-Type": type };
  const fetched = vi.fn(
    async (_: Request) => new Response(JSON.stringify(body), { status, headers }),
  );
  vi.stubGlobal("fetch", fetched);
  return fetched;
}

const listDevices = () => answerOf(client.GET("/v1/devices"));
const addDevice = () => answerOf(client.POST("/v1/devices", { body: { number: "6281" } }));

afterEach(() => vi.unstubAllGlobals());

test("a query names what is set, escaped", () => {
  expect(queryText({ a: "x y&", b: "", c: null, d: undefined, e: 0, f: false })).toBe(
    "?a=x+y%26&e=0&f=false",
  );
  expect(queryText({})).toBe("");
  expect(given({ a: "", b: 0, c: undefined })).toEqual({ b: 0 });
});

test("only changes carry the header that other sites cannot set", async () => {
  const fetched = answer(200, {});
  await listDevices();
  await addDevice();
  const headers = fetched.mock.calls.map(([request]) => request.headers);
  expect(headers[0]?.get("X-Merpati-Request")).toBeNull();
  expect(headers[1]?.get("X-Merpati-Request")).toBe("1");
});

test("a problem keeps its code, detail and fields", async () => {
  const errors = [{ field: "plan", message: "must be paid" }];
  answer(400, { code: "invalid_argument", detail: "plan: must be paid", errors });
  const problem = await listDevices().catch((error: unknown) => error);
  expect(problem).toBeInstanceOf(Problem);
  expect(problem).toMatchObject({ status: 400, code: "invalid_argument", fields: errors });
});

test("an answer that is no JSON is a problem all the same", async () => {
  vi.stubGlobal("fetch", async () => new Response("<h1>Bad gateway</h1>", { status: 502 }));
  await expect(listDevices()).rejects.toMatchObject({ status: 502, code: "unknown" });
});

test("a gateway that is not reached is told apart", async () => {
  vi.stubGlobal("fetch", async () => {
    throw new TypeError("Failed to fetch");
  });
  await expect(listDevices()).rejects.toMatchObject({ status: 0 });
});

test("a session that is gone is told to the app", async () => {
  const told = vi.fn();
  sessionEnded.addEventListener("ended", told);
  answer(401, { code: "unauthenticated" });
  await listDevices().catch(() => undefined);
  expect(told).toHaveBeenCalledOnce();
});

test("requests name the language of the page, which problems are then in", async () => {
  const fetched = answer(200, {});
  document.documentElement.lang = "en";
  await listDevices();
  document.documentElement.lang = "id";
  await listDevices();
  const languages = fetched.mock.calls.map(([request]) => request.headers.get("Accept-Language"));
  expect(languages).toEqual(["en", "id"]);
});
