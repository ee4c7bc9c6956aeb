// On a phone everything that is touched is as large as a finger.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { openBrowser } from "./support/browser.ts";
import { visit } from "./support/web_people.ts";
import { openWebShop, type WebShop } from "./support/web_shop.ts";

// A browser is slow on a busy machine.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 });

const FINGER = 44; // Pixels.

let world: WebShop;
let browser: Browser;

beforeAll(async () => {
  [world, browser] = await Promise.all([openWebShop(), openBrowser()]);
});
afterAll(async () => {
  await browser.close();
  await world.close();
});

/** Visible controls that are smaller; links within a text are as high as its line. */
function small(page: Page): Promise<string[]> {
  return page.evaluate((finger) => {
    const controls = document.querySelectorAll<HTMLElement>(
      "main button, main input, main textarea, header button, [role=dialog] button, " +
        "[role=dialog] input, [role=dialog] a, [role=menuitem]",
    );
    return [...controls].flatMap((one) => {
      // A radio button, a box or a switch is touched by its row, a part of a field by the field,
      // also the text after pills.
      const touched = one.closest<HTMLElement>("[class*=touchRow], label") ?? one;
      const isMark = one.matches("[type=radio], [type=checkbox]");
      const chosen = one.closest("[data-multiline]"); // A field with what was chosen in it.
      const box = (isMark ? touched : (chosen ?? one)).getBoundingClientRect();
      const isHidden = box.width < 2 || one.closest("[hidden], [aria-hidden=true]") !== null;
      const isPart =
        one.matches("[role=spinbutton]") || one.closest("div:has(> [type=password])") !== null;
      const isInPills = one.closest("[class*=PillsInput-input]") !== null;
      const isInText = one.matches("a") && getComputedStyle(one).display === "inline";
      if (isHidden || isPart || isInPills || isInText || box.height >= finger - 0.5) return [];
      return [`${Math.round(box.height)}: ${one.outerHTML.slice(0, 160)}`];
    });
  }, FINGER);
}

test("controls of every page and its windows", async () => {
  const visitor = await visit(browser, world.gateway, world.admin, { width: 390 });
  const { page } = visitor;
  const paths = [
    "/",
    "/send",
    "/messages",
    `/messages/${world.waiting}`,
    "/campaigns",
    `/campaigns/${world.paused}`,
    ...["audience", "message", "sending", "review"].map(
      (step) => `/campaigns/${world.draft}?step=${step}`,
    ),
    "/contacts",
    `/contacts/${world.contact}`,
    "/suppressions",
    "/devices",
    `/devices/${world.unlinked}`,
    "/callbacks",
    "/keys",
    "/account",
    "/usage",
    "/developers",
    "/settings",
    "/accounts",
    "/people",
    "/server",
  ];
  for (const path of paths) {
    await visitor.goto(path);
    expect(await small(page), path).toEqual([]);
  }
  await visitor.goto("/messages");
  await page.getByRole("button", { name: /^Time/ }).click();
  await page.getByLabel("Since", { exact: true }).waitFor();
  await visitor.settled();
  expect(await small(page), "the range of time").toEqual([]);
  await visitor.goto("/keys");
  await page.getByRole("button", { name: "Create a key" }).first().click();
  await page.getByRole("dialog").waitFor();
  await visitor.settled();
  expect(await small(page), "a form").toEqual([]);
  await visitor.goto(`/contacts/${world.contact}`);
  await page.getByRole("button", { name: "Edit the contact" }).click();
  await page.getByRole("dialog", { name: "Edit the contact" }).waitFor();
  await visitor.settled();
  expect(await small(page), "the form of a contact").toEqual([]);
  await visitor.goto("/contacts");
  await page.getByRole("button", { name: "Import" }).click();
  await page.getByRole("dialog").waitFor();
  await page.getByText("How the file is read").click();
  await visitor.settled();
  expect(await small(page), "the import of contacts").toEqual([]);
  await visitor.close();
});
