// Media of several accounts side by side: a bad host delays only its own account, and all files
// together stay within their limit.
import { afterAll, beforeAll, expect, test } from "vitest";
import { shop, type Account } from "./support/account.ts";
import { expectAccepted, expectRefused, expectSent, rows } from "./support/expect.ts";
import { bigPng, bytesIn, html, png } from "./support/files.ts";
import { MediaServer } from "./support/media_server.ts";
import { MediaShop } from "./support/media_shop.ts";
import { freshNumber } from "./support/numbers.ts";
import { waitFor } from "./support/wait.ts";

const kept = 1024 * 1024;
let media: MediaShop;
let neighbour: { account: Account; device: string };

beforeAll(async () => {
  media = await MediaShop.open({
    settings: {
      "media.max_bytes": kept / 2,
      "media.kept_bytes_max": kept,
      "simulator.latency_ms": 300, // A file is kept during its send.
    },
  });
  neighbour = await shop(media.gateway);
});
afterAll(() => media.close());

const sendOfNeighbour = (url: string) =>
  neighbour.account.send({ to: freshNumber(), from: neighbour.device, Type: "media", url });

test("while every host of one account hangs, files of another are judged and sent", async () => {
  const hosts = await Promise.all(Array.from({ length: 20 }, () => MediaServer.open()));
  try {
    const urls = Array.from({ length: 200 }, (_, index) =>
      hosts[index % hosts.length]!.put({ hang: true }),
    );
    const hanging = urls.map(sendOfNeighbour);
    await waitFor("looks that hang", () => hosts.some((host) => host.connections > 0));
    // A message without a slot is accepted without a probe. The refusals prove that these had one.
    for (let count = 0; count < 20; count += 1) {
      const url = media.host.put({ content: html, type: "text/html" });
      expectRefused(await media.send("A", { url }), rows.fileType);
      expectSent(await media.send("B", { url: media.host.put({ content: png }) }));
    }
    for (const reply of await Promise.all(hanging)) expectAccepted(reply);
    expect(Math.max(...hosts.map((host) => host.connections))).toBeLessThan(200);
  } finally {
    await Promise.all(hosts.map((host) => host.close()));
  }
});

test("files of waiting messages stay within their room, and all are sent", async () => {
  const folder = media.gateway.own("-media");
  const bytes = () => bytesIn(folder);
  const devices = await Promise.all(Array.from({ length: 4 }, () => neighbour.account.device()));
  const recipients = await Promise.all(
    devices.flatMap((from, device) =>
      Array.from({ length: 4 }, async (_, index) => {
        const to = freshNumber();
        const size = 200_000 + device * 10 + index; // No two have the same content.
        const url = media.host.put({ content: bigPng(size) });
        expectAccepted(await neighbour.account.send({ to, from, Type: "media", url }));
        return to;
      }),
    ),
  );
  let most = 0;
  const sent = () => recipients.filter((to) => media.gateway.simulator.to(to).length > 0);
  await waitFor(
    "all to be sent",
    () => {
      most = Math.max(most, bytes());
      return sent().length === recipients.length;
    },
    60_000,
  );
  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThanOrEqual(kept);
});
