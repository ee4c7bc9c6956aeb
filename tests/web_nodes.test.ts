// The page Server of a gateway that shares its database with another one.
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { barriers, type Language, openBrowser } from "./support/browser.ts";
import { Cluster } from "./support/cluster.ts";
import { person, type SomePerson } from "./support/people.ts";
import { PostgresServer } from "./support/postgres.ts";
import { visit } from "./support/web_people.ts";

let server: PostgresServer;
let cluster: Cluster;
let browser: Browser;
let admin: SomePerson;

beforeAll(async () => {
  [server, browser] = await Promise.all([PostgresServer.open(), openBrowser()]);
  cluster = await Cluster.open(server, { nodes: ["gateway-1", "gateway-2"] });
  admin = await person(cluster.gateways[0]!, "ani@toko.example", "--admin");
});
afterAll(async () => {
  await browser.close();
  await cluster.close();
  await server.close();
});

const pages: [Language, string, string, string][] = [
  ["en", "Servers on this database", "Up", "Gone"],
  ["id", "Server di basis data ini", "Aktif", "Tidak aktif"],
];

test.each(pages)("who works, and who is gone, at both widths: %s", async (language, ...words) => {
  const [title, up, gone] = words as [string, string, string];
  const [first, second] = cluster.gateways;
  const visitor = await visit(browser, first!, admin, { language });
  const { page } = visitor;
  const row = (name: string) => page.getByRole("table", { name: title }).getByRole("row", { name });
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 900 });
    await visitor.goto("/server");
    await visitor.settled();
    expect(await row("gateway-1").innerText()).toMatch(new RegExp(`${up}[^]*1`));
    expect(await row("gateway-2").innerText()).toMatch(new RegExp(`${up}[^]*0`));
    expect(await barriers(page)).toEqual([]);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(wide).toBeLessThanOrEqual(width);
  }
  await second!.stop();
  await row("gateway-2").getByText(gone, { exact: true }).waitFor(); // The page asks again.
  await cluster.start(second!);
  await row("gateway-2").getByText(up, { exact: true }).waitFor();
  expect(visitor.complaints).toEqual([]);
  await visitor.close();
});
