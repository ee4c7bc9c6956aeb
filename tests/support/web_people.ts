// People who sign in to the web app.
import type { Browser, Page } from "playwright-core";
import { type Language, type Scheme, Visitor } from "./browser.ts";
import type { Gateway } from "./gateway.ts";
import type { SomePerson } from "./people.ts";

interface VisitOptions {
  language?: Language;
  scheme?: Scheme;
  width?: number;
}

/** Opens the app and signs in. */
export async function visit(
  browser: Browser,
  gateway: Pick<Gateway, "url">, // Or a proxy.
  who: SomePerson,
  options: VisitOptions = {},
): Promise<Visitor> {
  const visitor = await Visitor.open(browser, { baseUrl: gateway.url, ...options });
  const { page } = visitor;
  await page.goto("/app/");
  await page.locator('input[type="email"]').fill(who.email);
  await page.locator('input[type="password"]').fill(who.password);
  await page.locator('button[type="submit"]').click();
  await page.locator("main#content").waitFor();
  await visitor.settled();
  return visitor;
}

/** Chooses an action from a row's menu. */
export async function fromRow(page: Page, row: RegExp, action: string): Promise<void> {
  const actions = { name: /^Actions for/ };
  await page.getByRole("row", { name: row }).getByRole("button", actions).click();
  await page.getByRole("menuitem", { name: action, exact: true }).click();
}
