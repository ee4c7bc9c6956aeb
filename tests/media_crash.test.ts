// After a crash, the media hosts with requests in flight at that time are not asked first.
import { afterAll, beforeAll, expect, test } from "vitest";
import { expectAccepted } from "./support/expect.ts";
import { png } from "./support/files.ts";
import { MediaServer } from "./support/media_server.ts";
import { MediaShop } from "./support/media_shop.ts";

let media: MediaShop;
let suspect: MediaServer;

beforeAll(async () => {
  suspect = await MediaServer.open();
  media = await MediaShop.open();
});
afterAll(async () => {
  await media.close();
  await suspect.close();
});

test("files of other hosts come first, and those that were under way are not lost", async () => {
  const url = suspect.put(({ range, method }) =>
    method === "HEAD" || range ? { content: png } : { hang: true },
  );
  expectAccepted(await media.send("A", { url, callbackStatus: media.sink.url("/suspect") }));
  await suspect.fetched(url);
  await media.gateway.kill();
  suspect.change(url, { content: png });
  await media.gateway.start();
  const other = media.host.put({ content: png });
  expect(await media.outcome({ url: other })).toMatchObject({ status: "sent" });
  expect(suspect.fetches(url)).toBe(1);
  const { json } = await media.sink.request("/suspect", 20_000);
  expect(json).toMatchObject({ status: "sent" });
  expect(suspect.fetches(url)).toBe(2);
});
