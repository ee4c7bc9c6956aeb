// The page Server of gateways that share the accounts of a database, asked of either.
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { barriers, type Language, openBrowser } from "./support/browser.ts";
import { Cluster, states } from "./support/cluster.ts";
import { person, type SomePerson } from "./support/people.ts";
import { PostgresServer } from "./support/postgres.ts";
import { visit } from "./support/web_people.ts";

let server: PostgresServer;
let cluster: Cluster;
let browser: Browser;
let admin: SomePerson;

beforeAll(async () => {
  [server, browser] = await Promise.all([PostgresServer.open(), openBrowser()]);
  cluster = await Cluster.share(server, { nodes: ["gateway-1", "gateway-2"] });
  const [first, second] = cluster.gateways;
  for (const gateway of [first!, second!, second!]) await cluster.shopAt(gateway);
  admin = await person(first!, "ani@toko.example", "--admin");
}, 120_000);
afterAll(async () => {
  await browser.close();
  await cluster.close();
  await server.close();
});

const pages: [Language, number, string, string, string][] = [
  ["en", 0, "Servers on this database", "Up", "Gone"],
  ["id", 1, "Server di basis data ini", "Aktif", "Tidak aktif"],
];

test.each(pages)("who works, and who is gone, at both widths: %s", async (language, ...words) => {
  const [index, title, up, gone] = words;
  const [asked, other] = [cluster.gateways[index]!, cluster.gateways[1 - index]!];
  const visitor = await visit(browser, asked, admin, { language });
  const { page } = visitor;
  const row = (name: string) => page.getByRole("table", { name: title }).getByRole("row", { name });
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 900 });
    await visitor.goto("/server");
    await visitor.settled();
    for (const [name, [, accounts]] of Object.entries(await states(asked))) {
      expect(await row(name).innerText()).toMatch(new RegExp(`${up}[^]*\\b${accounts}\\b`));
    }
    expect(await barriers(page)).toEqual([]);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(wide).toBeLessThanOrEqual(width);
  }
  await other.stop();
  const state = row(cluster.nameOf(other));
  await state.getByText(gone, { exact: true }).waitFor(); // The page asks again.
  await cluster.start(other);
  await state.getByText(up, { exact: true }).waitFor();
  await cluster.share();
  expect(visitor.complaints).toEqual([]);
  await visitor.close();
});
