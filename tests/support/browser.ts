// The web app in Debian's Chromium.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { expect, vi } from "vitest";
import { chromium } from "playwright-core";
import type { Browser, BrowserContext, Page, Response } from "playwright-core";
import { type Answer, check } from "./contract.ts";

// For the file that imports this: a browser is slow on a busy machine.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 });

export type Language = "id" | "en";
export type Scheme = "light" | "dark";

export interface Visit {
  language?: Language;
  scheme?: Scheme;
  width?: number;
  baseUrl: string;
}

/** A visitor's window. Collects errors and violations of its pages, which tests check. */
export class Visitor {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly complaints: string[] = [];
  private readonly judged: Promise<void>[] = [];

  private constructor(context: BrowserContext, page: Page) {
    this.context = context;
    this.page = page;
    page.on("pageerror", (error) => this.complaints.push(error.message));
    page.on("response", (response) => this.judged.push(this.judge(response)));
    page.on("dialog", (dialog) => {
      this.complaints.push(`a dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on("console", (message) => {
      // The browser also logs answers that are failures; the app shows those itself.
      const isAnswer = message.text().startsWith("Failed to load resource");
      if (message.type() === "error" && !isAnswer) this.complaints.push(message.text());
    });
  }

  static async open(browser: Browser, visit: Visit): Promise<Visitor> {
    const context = await browser.newContext({
      baseURL: visit.baseUrl,
      viewport: { width: visit.width ?? 1440, height: 900 },
      colorScheme: visit.scheme ?? "light",
      reducedMotion: "reduce", // So that no check sees a page during a transition.
      permissions: ["clipboard-read", "clipboard-write"],
    });
    context.setDefaultTimeout(60_000);
    await context.addInitScript(
      `if (!localStorage.getItem("merpati.language"))
         localStorage.setItem("merpati.language", "${visit.language ?? "en"}")`,
    );
    return new Visitor(context, await context.newPage());
  }

  /** Opens a page of the app, and waits for its heading. */
  async goto(path: string): Promise<void> {
    await this.page.goto(`/app${path}`);
    await this.page.getByRole("heading", { level: 1 }).first().waitFor();
    await this.settled();
  }

  /** Goes to a page of the app as its links do, without loading the app again. */
  async follow(path: string): Promise<void> {
    await this.page.evaluate((to) => history.pushState(null, "", to), `/app${path}`);
    await this.page.getByRole("heading", { level: 1 }).first().waitFor();
    await this.settled();
  }

  /** Changes the system's scheme, which the page follows. */
  async becomes(scheme: Scheme): Promise<void> {
    await this.page.emulateMedia({ colorScheme: scheme });
    await this.page.locator(`html[data-mantine-color-scheme="${scheme}"]`).waitFor();
  }

  /** Waits until the page is complete. */
  async settled(): Promise<void> {
    await this.page.waitForFunction(
      () =>
        document.querySelectorAll('[aria-busy="true"], .mantine-Skeleton-root').length === 0 &&
        document.getAnimations().every((one) => one.playState !== "running"),
    );
  }

  async close(): Promise<void> {
    await this.context.close();
    await Promise.all(this.judged);
    const broken = this.complaints.find((text) => text.includes("docs/openapi.yaml"));
    if (broken) throw new Error(broken);
  }

  /** Checks an answer to the app against docs/openapi.yaml. */
  private async judge(response: Response): Promise<void> {
    const { pathname } = new URL(response.url());
    const hasBody = response.status() !== 304 && pathname !== "/v1/events";
    if (!pathname.startsWith("/v1/") || !hasBody) return;
    let answer: Answer;
    try {
      const [headers, text] = await Promise.all([response.allHeaders(), response.text()]);
      answer = { status: response.status(), headers, text };
    } catch {
      return; // The visitor has left the page meanwhile.
    }
    // An answer from the browser's cache has the headers of the 304 that confirmed it.
    if (answer.headers["content-type"] === undefined && answer.headers["etag"]) return;
    try {
      check(response.request().method(), pathname, answer);
    } catch (error) {
      this.complaints.push((error as Error).message);
    }
  }
}

/** `expect.poll` with a time-out for a busy machine. */
export function soon<T>(probe: () => T | Promise<T>) {
  return expect.poll(probe, { timeout: 15_000 });
}

export function openBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env["MERPATI_CHROMIUM"] ?? "/usr/bin/chromium",
    // Its sandbox needs rights that a test in a container does not have; the pages are our own.
    args: ["--no-sandbox", "--disable-dev-shm-usage"],
  });
}

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What axe-core checks: everything, or only the colours, or all but the colours. */
export type Rules = "all" | "colours" | "no colours";

const COLOURS = ["color-contrast", "link-in-text-block"];
const STANDARDS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"];

/** A part of a page, by selectors. */
export interface Part {
  include?: string;
  exclude?: string;
}

/** The serious and critical accessibility barriers that axe-core finds on the page. */
export async function barriers(
  page: Page,
  rules: Rules = "all",
  part: Part = {},
): Promise<string[]> {
  // Through the debugger, because the page's policy forbids foreign scripts.
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(axe);
  const off = Object.fromEntries(COLOURS.map((rule) => [rule, { enabled: false }]));
  const options = {
    runOnly: rules === "colours" ? COLOURS : STANDARDS,
    rules: rules === "no colours" ? off : {},
    resultTypes: ["violations"], // Of others it would describe each element, which takes long.
  };
  const found = await page.evaluate(async ({ part, options }) => {
    // Colours in the middle of a transition are nobody's. Some animations never end.
    const ending = document
      .getAnimations()
      .filter(({ playState }) => playState === "running")
      .filter(({ effect }) => Number.isFinite(Number(effect?.getComputedTiming().endTime)));
    await Promise.allSettled(ending.map((one) => one.finished));
    const { violations } = await (globalThis as any).axe.run({ include: "html", ...part }, options);
    return violations.map((one: any) => ({
      impact: one.impact,
      text: `${one.id}: ${one.help}: ${one.nodes.map((n: any) => n.html).join(" | ")}`,
    }));
  }, { part, options });
  return found
    .filter((one: any) => one.impact === "serious" || one.impact === "critical")
    .map((one: any) => one.text.slice(0, 600));
}
