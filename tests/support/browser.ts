// Debian's Chromium, as people use the web app in it.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { expect } from "vitest";
import { chromium } from "playwright-core";
import type { Browser, BrowserContext, Page, Response } from "playwright-core";
import { type Answer, check } from "./contract.ts";

export type Language = "id" | "en";
export type Scheme = "light" | "dark";

export interface Visit {
  language?: Language;
  scheme?: Scheme;
  width?: number;
  baseUrl: string;
}

/** A visitor's window: what its pages complained of is kept, and fails the test that looks. */
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
      // Answers that are failures are noted by the browser, too: the app shows them.
      const isAnswer = message.text().startsWith("Failed to load resource");
      if (message.type() === "error" && !isAnswer) this.complaints.push(message.text());
    });
  }

  static async open(browser: Browser, visit: Visit): Promise<Visitor> {
    const context = await browser.newContext({
      baseURL: visit.baseUrl,
      viewport: { width: visit.width ?? 1440, height: 900 },
      colorScheme: visit.scheme ?? "light",
      reducedMotion: "reduce", // What fades in is not to be judged half-way.
      permissions: ["clipboard-read", "clipboard-write"],
    });
    context.setDefaultTimeout(60_000);
    await context.addInitScript(
      `if (!localStorage.getItem("merpati.language"))
         localStorage.setItem("merpati.language", "${visit.language ?? "en"}")`,
    );
    return new Visitor(context, await context.newPage());
  }

  /** Opens a page of the app, and waits for its name. */
  async goto(path: string): Promise<void> {
    await this.page.goto(`/app${path}`);
    await this.page.getByRole("heading", { level: 1 }).first().waitFor();
    await this.settled();
  }

  /** Until nothing on the page is still on its way. */
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

  /** Holds an answer that the app was given against docs/openapi.yaml. */
  private async judge(response: Response): Promise<void> {
    const { pathname } = new URL(response.url());
    const hasBody = response.status() !== 304 && pathname !== "/v1/events";
    if (!pathname.startsWith("/v1/") || !hasBody) return;
    let answer: Answer;
    try {
      const [headers, text] = await Promise.all([response.allHeaders(), response.text()]);
      answer = { status: response.status(), headers, text };
    } catch {
      return; // Its page was left meanwhile.
    }
    // The browser shows what it kept, with the headers of the 304 that said that it is still so.
    if (answer.headers["content-type"] === undefined && answer.headers["etag"]) return;
    try {
      check(response.request().method(), pathname, answer);
    } catch (error) {
      this.complaints.push((error as Error).message);
    }
  }
}

/** `expect.poll` with the patience that a page on a busy machine needs. */
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

/** What keeps people from using the page, as far as axe-core sees it: serious things alone. */
export async function barriers(page: Page): Promise<string[]> {
  // By the debugger's door, because the page's own policy forbids scripts of others.
  await page.evaluate(axe);
  const found = await page.evaluate(async () => {
    const { violations } = await (globalThis as any).axe.run(document, {
      runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"],
    });
    return violations.map((one: any) => ({
      impact: one.impact,
      text: `${one.id}: ${one.help}: ${one.nodes.map((n: any) => n.html).join(" | ")}`,
    }));
  });
  return found
    .filter((one: any) => one.impact === "serious" || one.impact === "critical")
    .map((one: any) => one.text.slice(0, 600));
}
