// Uploads of files: progress, the gateway's refusals, and how one is stopped.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { sessionEnded } from "../src/api/client.ts";
import { uploadFile } from "../src/api/upload.ts";

/** A request of which the test plays the gateway. */
class FakeRequest {
  static last: FakeRequest;
  headers: Record<string, string> = {};
  upload: { onprogress?: (event: { loaded: number }) => void } = {};
  onload?: () => void;
  onerror?: () => void;
  onabort?: () => void;
  onloadend?: () => void;
  status = 0;
  responseText = "";
  sent: unknown;
  opened: string[] = [];

  constructor() {
    FakeRequest.last = this;
  }
  open(...asked: string[]): void {
    this.opened = asked;
  }
  setRequestHeader(name: string, value: string): void {
    this.headers[name] = value;
  }
  send(body: unknown): void {
    this.sent = body;
  }
  abort(): void {
    this.onabort?.();
    this.onloadend?.();
  }
  answer(status: number, body: object): void {
    this.status = status;
    this.responseText = JSON.stringify(body);
    this.onload?.();
    this.onloadend?.();
  }
}

const file = new Blob(["nomor\n0812"]);

beforeEach(() => vi.stubGlobal("XMLHttpRequest", FakeRequest));
afterEach(() => vi.unstubAllGlobals());

test("the file itself is the body, and its progress is told", async () => {
  const told: number[] = [];
  const ending = uploadFile("/v1/x", file, { onProgress: (sent) => told.push(sent) });
  const { last } = FakeRequest;
  expect(last.sent).toBe(file);
  expect(last.opened).toEqual(["POST", "/v1/x"]);
  expect(last.headers).toMatchObject({ "Content-Type": "text/csv", "X-Merpati-Request": "1" });
  last.upload.onprogress?.({ loaded: 4 });
  last.upload.onprogress?.({ loaded: 10 });
  last.answer(200, { rows: 1 });
  expect(await ending).toEqual({ rows: 1 });
  expect(told).toEqual([4, 10]);
});

test("a refusal is a problem with the gateway's words", async () => {
  const ending = uploadFile("/v1/x", file);
  FakeRequest.last.answer(400, { code: "malformed", detail: "a quote never ends" });
  await expect(ending).rejects.toMatchObject({ status: 400, message: "a quote never ends" });
});

test("a session that has ended is told to the app", async () => {
  const ended = vi.fn();
  sessionEnded.addEventListener("ended", ended, { once: true });
  const ending = uploadFile("/v1/x", file);
  FakeRequest.last.answer(401, { code: "unauthenticated" });
  await expect(ending).rejects.toMatchObject({ status: 401 });
  expect(ended).toHaveBeenCalledOnce();
});

test("a connection that breaks is a gateway that does not answer", async () => {
  const ending = uploadFile("/v1/x", file);
  FakeRequest.last.onerror?.();
  await expect(ending).rejects.toMatchObject({ status: 0 });
});

test("an upload is stopped by its signal", async () => {
  const stopping = new AbortController();
  const ending = uploadFile("/v1/x", file, { signal: stopping.signal });
  stopping.abort();
  await expect(ending).rejects.toMatchObject({ name: "AbortError" });
});
