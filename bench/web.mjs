// The web app with a large store, and pages that are left open under load.
import { createRequire } from "node:module";
import { setTimeout as pause } from "node:timers/promises";
import { fillForSearches, notSummarised, recipient } from "./fill.mjs";
import { load } from "./load.mjs";
import { script, startMerpati } from "./merpati.mjs";
import { stop, until } from "./processes.mjs";
import { startSink } from "./sink.mjs";
import { grouped, median, spread, table } from "./statistics.mjs";

export const TARGET_MS = 1000;
export const GROWTH_MAX = 1.1; // Of the heap, between the first and the last third.
const STORED = Number(process.env.BENCH_STORED ?? 5_000_000);
const OPEN_SECONDS = Number(process.env.BENCH_WEB_SECONDS ?? 600);
const VISITS = 5;
const VISIT_MS_MAX = 30_000;
const SAMPLES = 60;
const DEVICES = 20;
// About 40 sends a second: more than a page shows, but not enough to slow the machine down.
const CONNECTIONS = 4;
const PAUSE_MS = 100;

const ADMIN = "bench@example.com";
const RARE_DEVICE = "6281300000001"; // Of another account.
const BLOCK = 4_096; // Up to this many of the newest messages are in no block of summaries.
const PAGES = [
  "/",
  "/messages",
  "/messages?state=failed",
  `/messages?to=${recipient(7)}`,
  "/devices",
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
const OPEN_PAGES = ["/", "/messages", "/callbacks"];
// V8 recompiles hot code for minutes and keeps it in the heap. Those 0.5 MiB are not growth of the
// page, so the heap is measured without the compiler.
const WITHOUT_COMPILER = "--js-flags=--jitless";

export async function web({ scratch }) {
  const { chromium } = createRequire(new URL("../tests/package.json", import.meta.url))(
    "playwright-core",
  );
  const browsers = [];
  const launch = async (...flags) => {
    const browser = await chromium.launch({
      executablePath: process.env.MERPATI_CHROMIUM ?? "/usr/bin/chromium",
      args: ["--no-sandbox", "--disable-dev-shm-usage", ...flags],
    });
    browsers.push(browser);
    return browser;
  };
  try {
    const pages = STORED > 0 ? await visits(await launch(), scratch("stored")) : [];
    const open =
      OPEN_SECONDS > 0
        ? await leftOpen(await launch(WITHOUT_COMPILER), scratch("open"), scratch("sink"))
        : [];
    const slowest = Math.max(0, ...pages.map(({ times }) => median(times)));
    const growth = Math.max(0, ...open.map((one) => one.growth));
    const passed = slowest <= TARGET_MS && growth <= GROWTH_MAX;
    return { stored: STORED, seconds: OPEN_SECONDS, pages, open, slowest, growth, passed };
  } finally {
    await Promise.all(browsers.map((browser) => browser.close()));
  }
}

async function start(folder, fill, callback) {
  let person;
  const gateway = await startMerpati({
    folder,
    devices: DEVICES,
    prepare: (command) => {
      person = command("user", "create", ADMIN, "--admin");
      const other = command("account", "create", "rare", "--rate", "none").id;
      command("device", "add", other, RARE_DEVICE);
    },
    fill,
    callback,
  });
  return { ...gateway, origin: new URL(gateway.url).origin, password: person.password };
}

/** Opens a window and signs the administrator in. */
async function signIn(browser, { origin, password }) {
  const context = await browser.newContext({ baseURL: origin, reducedMotion: "reduce" });
  const page = await context.newPage();
  const app = await page.goto("/app/");
  if (!(await app.text()).includes("/app/assets/")) {
    throw new Error("this executable was built without the web app: ./dev bench web builds it");
  }
  await page.locator('input[type="email"]').fill(ADMIN);
  await page.locator('input[type="password"]').fill(password);
  await page.locator('button[type="submit"]').click();
  await page.locator("main#content").waitFor();
  return page;
}

/**
 * Milliseconds from the request for the page until it is complete: nothing is marked as busy, and
 * every operation that it called has answered. VISIT_MS_MAX stands for longer.
 */
async function visit(page, path) {
  const answers = new Set();
  const isAwaited = (request) => {
    const { pathname } = new URL(request.url());
    return pathname.startsWith("/v1/") && pathname !== "/v1/events";
  };
  const asked = (request) => isAwaited(request) && answers.add(request);
  const answered = (request) => answers.delete(request);
  page.on("request", asked);
  page.on("requestfinished", answered);
  page.on("requestfailed", answered);
  try {
    await page.goto(`/app${path}`, { waitUntil: "commit" });
    for (;;) {
      const shown = await page.waitForFunction(isShown, undefined, { timeout: VISIT_MS_MAX });
      const time = await shown.jsonValue();
      if (answers.size === 0) return time;
      if (time > VISIT_MS_MAX) return VISIT_MS_MAX;
      await pause(5);
    }
  } catch (error) {
    if (error.name !== "TimeoutError") throw error;
    return VISIT_MS_MAX;
  } finally {
    page.off("request", asked);
    page.off("requestfinished", answered);
    page.off("requestfailed", answered);
  }
}

/** Runs in the page: milliseconds since its request if it is complete, else false. */
function isShown() {
  return (
    document.querySelector("main h1") !== null &&
    document.querySelectorAll('[aria-busy="true"], .mantine-Skeleton-root').length === 0 &&
    performance.now()
  );
}

async function visits(browser, folder) {
  let file;
  const begun = performance.now();
  const gateway = await start(folder, (store, numbers) =>
    fillForSearches((file = store), numbers, RARE_DEVICE, STORED),
  );
  try {
    await until("summaries", () => notSummarised(file) < BLOCK, {
      child: gateway.processes[0],
      every: 1_000,
      seconds: 900,
    });
    const filled = Math.round((performance.now() - begun) / 1000);
    console.log(`web: the store is filled and summarised, after ${filled} s`);
    const page = await signIn(browser, gateway);
    const measured = [];
    for (const path of PAGES) {
      await visit(page, path); // Fills the browser's cache.
      const times = [];
      for (let turn = 0; turn < VISITS; turn += 1) times.push(await visit(page, path));
      measured.push({ path, times });
    }
    await page.context().close();
    return measured;
  } finally {
    await stop(...gateway.processes);
  }
}

async function leftOpen(browser, folder, sinkFolder) {
  const sink = await startSink(sinkFolder);
  const gateway = await start(folder, undefined, sink.url);
  const sending = load({
    url: gateway.url,
    script,
    connections: CONNECTIONS,
    seconds: OPEN_SECONDS,
    environment: { ...gateway.environment, BENCH_PAUSE: PAUSE_MS },
  });
  try {
    const watched = [];
    for (const path of OPEN_PAGES) {
      const page = await signIn(browser, gateway);
      await visit(page, path);
      const devtools = await page.context().newCDPSession(page);
      await devtools.send("Performance.enable");
      watched.push({ path, devtools, samples: [] });
    }
    const end = performance.now() + OPEN_SECONDS * 1000;
    while (performance.now() < end) {
      await pause((OPEN_SECONDS * 1000) / SAMPLES);
      for (const one of watched) one.samples.push(await sizeOf(one.devtools));
    }
    const { accepted } = await sending;
    return watched.map(({ path, samples }) => ({ path, accepted, ...trend(samples) }));
  } finally {
    await stop(...gateway.processes, sink.process);
  }
}

/** The size of heap and document after a garbage collection. */
async function sizeOf(devtools) {
  await devtools.send("HeapProfiler.collectGarbage");
  const { metrics } = await devtools.send("Performance.getMetrics");
  const value = (name) => metrics.find((one) => one.name === name).value;
  return { heap: value("JSHeapUsedSize"), nodes: value("Nodes") };
}

function trend(samples) {
  const third = Math.ceil(samples.length / 3);
  const of = (part, name) => median(part.map((sample) => sample[name]));
  const [first, last] = [samples.slice(0, third), samples.slice(-third)];
  return {
    heap: [of(first, "heap"), of(last, "heap")],
    nodes: [of(first, "nodes"), of(last, "nodes")],
    growth: of(last, "heap") / of(first, "heap"),
    samples,
  };
}

export function describeWeb({ stored, seconds, pages, open, slowest, growth }) {
  const mebibytes = (bytes) => `${(bytes / 2 ** 20).toFixed(1)} MiB`;
  return [
    `web: the web app in Chromium, ${grouped(stored)} messages stored`,
    table([
      ["page", "ms until its content is there"],
      ...pages.map(({ path, times }) => [path, spread(times)]),
    ]),
    `  slowest ${slowest.toFixed(0)} ms, target at most ${TARGET_MS}: ` +
      (slowest <= TARGET_MS ? "met" : "MISSED"),
    `web: left open for ${seconds} s while ${grouped(open[0]?.accepted ?? 0)} messages were sent`,
    table([
      ["page", "heap, first third", "last third", "DOM nodes"],
      ...open.map(({ path, heap, nodes }) => [
        path,
        mebibytes(heap[0]),
        mebibytes(heap[1]),
        `${nodes[0]} to ${nodes[1]}`,
      ]),
    ]),
    `  grows to ${growth.toFixed(2)} of it, target at most ${GROWTH_MAX}: ` +
      (growth <= GROWTH_MAX ? "met" : "MISSED"),
  ].join("\n");
}
