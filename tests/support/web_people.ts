// People who use the web app: made on the command line, signed in as they do it.
import type { Browser } from "playwright-core";
import { type Language, type Scheme, Visitor } from "./browser.ts";
import type { Gateway } from "./gateway.ts";

export interface SomePerson {
  email: string;
  password: string;
}

/** Creates somebody with the flags of `user create`. */
export async function person(
  gateway: Gateway,
  email: string,
  ...flags: string[]
): Promise<SomePerson> {
  const made = await gateway.json("user", "create", email, ...flags);
  gateway.secrets.add(made.password);
  return { email, password: made.password };
}

export async function linkOf(gateway: Gateway, email: string): Promise<string> {
  const { url } = await gateway.json("user", "link", email);
  return url;
}

interface VisitOptions {
  language?: Language;
  scheme?: Scheme;
  width?: number;
}

/** Opens the app signed in. */
export async function visit(
  browser: Browser,
  gateway: Gateway,
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
