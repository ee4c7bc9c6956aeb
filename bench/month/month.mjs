// A month in an hour: every table reaches the stock of a busy month and turns over, under
// everything at once, and the last quarter of the hour must be as fast and small as the second.
//
// Retention lasts a sixth of the run, so that the stock is reached before the second quarter and is
// replaced three times after it. A sixtieth of the run is called a minute here.
//
// A run that leaves something out says so and fails, be it because of the machine (a disk that can
// be filled needs the right to mount one, clock steps need libfaketime) or of these variables:
//
// BENCH_MONTH_SECONDS (3600): the run. BENCH_MONTH_RATE (800): messages a second.
// BENCH_MONTH_GROWTH (1.3): what the last quarter may be of the second; 0: not judged, for short
// runs on busy machines. BENCH_MONTH_LINKED (2): linked devices. BENCH_MONTH_CLOCK=no: no steps of
// the clock, for gateways that were built with sanitizers, which do not start with libfaketime.
// BENCH_MONTH_WHOLE=no: the run may leave something out.
import { setTimeout as pause } from "node:timers/promises";
import { Linked } from "../linked_world.mjs";
import { agreementOf } from "./agreement.mjs";
import { Books } from "./books.mjs";
import { Client } from "./client.mjs";
import { judge } from "./judgement.mjs";
import { unexplained } from "./log_lines.mjs";
import { lookUpMissing } from "./missing.mjs";
import { startMediaHost, startReceivers } from "./receivers.mjs";
import { sample } from "./samples.mjs";
import { startLinkedSenders, startSenders } from "./senders.mjs";
import { UsageSeen } from "./usage_seen.mjs";
import { startVisitors } from "./visitors.mjs";
import { World } from "./world.mjs";

export { describeMonth } from "./judgement.mjs";

const HOUR_SECONDS = 3600;
const HOUR_RATE = 800;
const SECONDS = Number(process.env.BENCH_MONTH_SECONDS ?? HOUR_SECONDS);
const RATE = Number(process.env.BENCH_MONTH_RATE ?? HOUR_RATE);
const GROWTH_MAX = Number(process.env.BENCH_MONTH_GROWTH ?? 1.3);
const LINKED = Number(process.env.BENCH_MONTH_LINKED ?? 2);
const MUST_BE_WHOLE = process.env.BENCH_MONTH_WHOLE !== "no";
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
// Two hours of the gateway's clock pass in each quarter. Those before the last two are removed.
const HOURS_REMOVED = SECONDS < HOUR_SECONDS ? 1 : 3;

/** What happens in each quarter, by its minute. All quarters are alike, to be compared. */
const disturbances = {
  3: (world) => world.kill(),
  4: (world) => world.passHour(),
  6: (world) => world.restart(),
  8: (world) => world.setClock(45),
  9: (world) => world.setClock(0),
  11: (world) => world.fillDisk(),
  12: (world) => world.freeDisk(),
  13: (world) => world.passHour(),
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
    const { urls } = receivers;
    const report = await live({ world, books, minuteMs, urls, media: media.url });
    const leftOut = [...leftOutHere(), ...world.leftOut];
    return judge(
      { ...report, seconds: SECONDS, rate: RATE, leftOut },
      { growthMax: GROWTH_MAX, mustBeWhole: MUST_BE_WHOLE },
    );
  } finally {
    await world.end();
    receivers.stop();
    media.stop();
  }
}

/** What the variables leave out, in words. */
function leftOutHere() {
  return [
    SECONDS < HOUR_SECONDS && `the rest of the hour (BENCH_MONTH_SECONDS=${SECONDS})`,
    RATE < HOUR_RATE && `the stock of the hour (BENCH_MONTH_RATE=${RATE})`,
    GROWTH_MAX === 0 && "the comparison of the quarters (BENCH_MONTH_GROWTH=0)",
    LINKED === 0 && "linked devices (BENCH_MONTH_LINKED=0)",
  ].filter(Boolean);
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
  const everyShop = shops.concat(linked ?? []);
  const usage = new UsageSeen();
  const samples = [];
  const begun = performance.now();
  for (let minute = 0; minute < MINUTES; minute += 1) {
    await disturbances[minute % QUARTER]?.(world);
    await pause(Math.max(0, begun + (minute + 1) * minuteMs - performance.now()));
    samples.push(await sample(world, books));
    await usage.read(client, everyShop, world.now());
  }
  await Promise.all(sending.map((each) => each.stop()));
  const visits = await visitors.stop();
  await drain(books);
  const missing = lookUpMissing(world, books);
  const agreement = await agreementOf({
    world,
    client,
    shops: everyShop,
    books,
    usage,
    granted: CREDIT,
    hoursRemoved: world.hasSteps ? HOURS_REMOVED : 0,
  });
  await world.stopGateway();
  const { accepted, refused, repeated, ended } = books;
  return {
    samples,
    visits,
    agreement,
    counts: { accepted, refused, repeated, ended },
    held: books.held,
    missing,
    unknown: books.unknownIds(),
    lines: unexplained(world.log),
  };
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
