// A month in an hour: every table reaches the stock of a busy month and turns over, under
// everything at once, and the last quarter of the hour must be as fast and small as the second.
//
// Retention lasts a sixth of the run, so that the stock is reached before the second quarter and is
// replaced three times after it. A sixtieth of the run is called a minute here.
//
// BENCH_MONTH_SECONDS (3600): the run. BENCH_MONTH_RATE (800): messages a second.
// BENCH_MONTH_GROWTH (1.3): what the last quarter may be of the second; 0: not judged, for short
// runs on busy machines. BENCH_MONTH_LINKED (2): linked devices. BENCH_MONTH_CLOCK=no: no steps of
// the clock, for gateways that were built with sanitizers, which do not start with libfaketime.
import { setTimeout as pause } from "node:timers/promises";
import { Linked } from "../linked_world.mjs";
import { grouped, median, table } from "../statistics.mjs";
import { Books } from "./books.mjs";
import { Client } from "./client.mjs";
import { unexplained } from "./log_lines.mjs";
import { startMediaHost, startReceivers } from "./receivers.mjs";
import { sample } from "./samples.mjs";
import { startLinkedSenders, startSenders } from "./senders.mjs";
import { startVisitors } from "./visitors.mjs";
import { World } from "./world.mjs";

const SECONDS = Number(process.env.BENCH_MONTH_SECONDS ?? 3600);
const RATE = Number(process.env.BENCH_MONTH_RATE ?? 800);
const GROWTH_MAX = Number(process.env.BENCH_MONTH_GROWTH ?? 1.3);
const LINKED = Number(process.env.BENCH_MONTH_LINKED ?? 2);
const MINUTES = 60;
const QUARTER = MINUTES / 4;
const SHOPS = 3;
const DEVICES = 8; // Of each shop.
const CREDIT = 100_000_000;
const SCOPES = [
  "send",
  "messages:read",
  "messages:manage",
  "devices:manage",
  "callbacks:manage",
  "account:read",
  "account:manage",
];
const UNPACED = ["--gap", "0s", "--jitter", "0s", "--per-day", "none", "--warm-up", "0"];
const DRAIN_SECONDS = 400; // The third wait of a callback and its attempt, with room.
const ROWS_MIN = 1000; // Smaller tables are not compared.
// Kept longer than the run: reports of platforms for 8 days, books for years.
const NOT_COMPARED = ["platform_event", "ledger", "usage"];

/** What happens in each quarter, by its minute. All quarters are alike, to be compared. */
const disturbances = {
  3: (world) => world.kill(),
  6: (world) => world.restart(),
  8: (world) => world.setClock("+45s"),
  9: (world) => world.setClock("+0"),
  11: (world) => world.fillDisk(),
  12: (world) => world.freeDisk(),
};

export async function month({ scratch }) {
  const minuteMs = (SECONDS * 1000) / MINUTES;
  const books = new Books();
  const onCallback = (payload) => books.reported(payload);
  const receivers = await startReceivers({ minuteMs, onCallback });
  const media = await startMediaHost();
  const world = await World.create({
    folder: scratch("month"),
    platformFolder: scratch("platform"),
    linkedDevices: LINKED,
    retention: Math.max(10, Math.round(SECONDS / 6)),
    settings: {
      "callback.timeout": "2s",
      "scheduler.retry_first": "200ms",
      "scheduler.retry_max": "5s",
      "media.kept_for": "10s",
    },
  });
  try {
    return judge(await live({ world, books, minuteMs, urls: receivers.urls, media: media.url }));
  } finally {
    await world.end();
    receivers.stop();
    media.stop();
  }
}

/** The run itself; resolves with what was seen. */
async function live({ world, books, minuteMs, urls, media }) {
  const { shops, linked, admin } = await populate(world);
  const client = new Client(world.port);
  const delayMax = Math.max(1, Math.floor(SECONDS / 120));
  const sending = [
    startSenders({ client, books, urls, media, shops, perSecond: RATE, delayMax }),
    ...(linked
      ? [startLinkedSenders({ client, books, shop: linked, everyMs: 500, url: urls.prompt })]
      : []),
  ];
  const visitors = startVisitors({ client, world, admin, shops, books, minuteMs });
  const samples = [];
  const begun = performance.now();
  for (let minute = 0; minute < MINUTES; minute += 1) {
    await disturbances[minute % QUARTER]?.(world);
    await pause(Math.max(0, begun + (minute + 1) * minuteMs - performance.now()));
    samples.push(await sample(world, books));
  }
  await Promise.all(sending.map((each) => each.stop()));
  const visits = await visitors.stop();
  await drain(books);
  const agreement = await compare(world, client, shops.concat(linked ?? []), books);
  await world.stopGateway();
  const { accepted, refused, repeated, ended } = books;
  return {
    samples,
    visits,
    agreement,
    counts: { accepted, refused, repeated, ended },
    missing: books.openIds(),
    unknown: books.unknownIds(),
    lines: unexplained(world.log),
    leftOut: world.leftOut,
  };
}

function judge(report) {
  const growth = growths(report.samples);
  const passed =
    report.missing.length === 0 &&
    report.unknown.length === 0 &&
    report.agreement.every(({ met }) => met) &&
    report.lines.length === 0 &&
    Object.keys(report.visits.wrong).length === 0 &&
    (GROWTH_MAX === 0 || growth.every(({ ratio }) => ratio <= GROWTH_MAX));
  return { ...report, growth, passed };
}

/** Accounts, keys and devices, before the server's first start; then the linked devices. */
async function populate(world) {
  const shopOf = (name, numbers, ...flags) => {
    const account = world.command(
      "account", "create", name, "--rate", "none", "--credits", `${CREDIT}`,
    ).id;
    numbers.forEach((number) => world.command("device", "add", account, number, ...flags));
    const { key } = world.command("key", "create", account, "--scopes", SCOPES.join(","));
    return { account, key, devices: numbers };
  };
  const shops = Array.from({ length: SHOPS }, (_, shop) =>
    shopOf(
      `toko ${shop}`,
      Array.from({ length: DEVICES }, (_, index) => `62811${shop}000000${index}`),
    ),
  );
  const admin = world.command("key", "create", shops[0].account, "--scopes", "admin").key;
  let linked;
  if (world.platform) {
    const numbers = Array.from({ length: LINKED }, (_, index) => `628119900000${index}`);
    linked = shopOf("klinik", numbers, "--connector", "linked", ...UNPACED);
    await world.start();
    const merpati = { processes: [world.child], url: `http://127.0.0.1:${world.port}/v1/send` };
    const socket = `${world.file}.sock`;
    await new Linked(merpati, socket, numbers, SHOPS * DEVICES).pair(world.platform);
    linked.friends = await world.platform.friends(3);
  } else {
    await world.start();
  }
  return { shops, linked, admin };
}

/** Waits until each accepted message has been reported, or for long. */
async function drain(books) {
  const end = performance.now() + DRAIN_SECONDS * 1000;
  while (books.open > 0 && performance.now() < end) await pause(200);
}

/** Whether balance, usage and the gateway's own check agree with what was counted outside. */
async function compare(world, client, shops, books) {
  let [credit, sent, failed] = [0, 0, 0];
  for (const { account, key } of shops) {
    credit += world.command("account", "show", account).credit;
    const usage = (await client.persist("GET", "/v1/usage?by=code", { key })).json();
    for (const { code, sent: s, failed: f } of usage.items ?? usage.data ?? usage.usage) {
      sent += s;
      failed += f;
    }
  }
  const { findings } = world.command("doctor");
  const spent = shops.length * CREDIT + books.booked - credit;
  const row = (what, found, wanted) => ({ what, found, wanted, met: found === wanted });
  return [
    row("credit spent", spent, books.ended.sent),
    row("usage: sent", sent, books.ended.sent),
    row("usage: failed", failed, books.ended.failed),
    row("doctor on credit", findings.find((one) => one.subject === "credit")?.verdict, "good"),
  ];
}

/** Each figure's median in the last quarter against that in the second. */
function growths(samples) {
  const second = samples.slice(QUARTER, 2 * QUARTER);
  const last = samples.slice(3 * QUARTER);
  const row = (what, of) => {
    const values = (some) => some.map(of).filter((value) => value !== undefined);
    const [before, after] = [median(values(second)), median(values(last))];
    return { what, before, after, ratio: after / before };
  };
  const tables = Object.keys(samples.at(-1).rows)
    .filter((name) => !NOT_COMPARED.includes(name))
    .map((name) => row(`rows of ${name}`, ({ rows }) => rows[name]));
  return [
    row("p99 of accepts, ms", (each) => each.acceptP99),
    row("p99 of callbacks, ms", (each) => each.callbackP99),
    row("resident, MiB", (each) => each.memory),
    row("store, MiB", (each) => each.disk),
    row("descriptors", (each) => each.descriptors),
    ...tables.filter(({ after }) => after >= ROWS_MIN),
  ];
}

/** How many, and the first of them. */
const shown = (ids) => [ids.length, ...ids.slice(0, 5)].join(" ");

export function describeMonth(report) {
  const { growth, counts, visits, agreement, lines, missing, unknown } = report;
  const cells = growth.map(({ what, before, after, ratio }) => [
    what, grouped(before, 1), grouped(after, 1), ratio.toFixed(2),
  ]);
  const refused = Object.entries(counts.refused).map(([why, count]) => `${count} ${why}`);
  return [
    `month: ${SECONDS} s, ${RATE} messages a second, medians of the minutes of two quarters`,
    table([["figure", "second quarter", "last quarter", "ratio"], ...cells]),
    `  accepted ${grouped(counts.accepted)}: sent ${grouped(counts.ended.sent)}, failed ` +
      `${grouped(counts.ended.failed)}; not reported: ${shown(missing)}; reported and never ` +
      `answered: ${shown(unknown)}; callbacks repeated ${counts.repeated}; ` +
      `refused: ${refused.join(", ") || "none"}`,
    `  visits: ${JSON.stringify(visits)}`,
    ...agreement.map(
      ({ what, found, wanted, met }) =>
        `  ${what}: ${found}, counted outside: ${wanted}: ${met ? "met" : "MISSED"}`,
    ),
    `  lines of the log that nothing explains: ${lines.length}`,
    ...lines.slice(0, 20).map(({ line, count }) => `    ${count} times ${line}`),
    `  left out on this machine: ${report.leftOut.join(", ") || "nothing"}`,
    `  at most ${GROWTH_MAX} times the second quarter, nothing lost, books exact: ` +
      `${report.passed ? "met" : "MISSED"}`,
  ].join("\n");
}
