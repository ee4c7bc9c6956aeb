// How fast lists, searches and timelines are answered with five million messages stored.
import { fillForSearches, notSummarised, RAREST_WORD, recipient, RECIPIENTS } from "./fill.mjs";
import { startMerpati } from "./merpati.mjs";
import { stop, until } from "./processes.mjs";
import { grouped, median, table } from "./statistics.mjs";

export const TARGET_MS = 100;
const STORED = Number(process.env.BENCH_STORED ?? 5_000_000);
const BLOCK = 4_096; // Up to this many of the newest messages are in no block of summaries.
const RARE_DEVICE = "6281300000001"; // Of account 2.
const SEARCHES = 60;

export async function search({ scratch }) {
  let file;
  let keys;
  const key = (command, account) =>
    command("key", "create", account, "--scopes", "messages:read").key;
  const { processes, url } = await startMerpati({
    folder: scratch("search"),
    devices: 20,
    prepare: (command, account) => {
      const other = command("account", "create", "rare", "--rate", "none").id;
      command("device", "add", other, RARE_DEVICE);
      keys = { own: key(command, account), rare: key(command, other) };
    },
    fill: (store, numbers) => fillForSearches((file = store), numbers, RARE_DEVICE, STORED),
  });
  try {
    const ask = asker(new URL(url).origin, keys);
    const began = performance.now();
    const unsummarised = await measure(ask, "a number that nobody has", "own", "to=6281999999999");
    await until("summaries", async () => notSummarised(file) < BLOCK, {
      child: processes[0],
      every: 1_000,
      seconds: 900,
    });
    const summarisedIn = (performance.now() - began) / 1000;
    const kinds = [];
    for (const [name, who, query, most] of searches()) {
      kinds.push(await measure(ask, name, who, query, most));
    }
    kinds.push(await measureTimelines(ask));
    const worst = Math.max(...kinds.map((kind) => kind.p99));
    return { unsummarised, summarisedIn, kinds, worst, target: TARGET_MS };
  } finally {
    await stop(...processes);
  }
}

/** Rows: name, whose key, query (or a function of the search's number), how many to find (all). */
function searches() {
  const day = (ago) => new Date(Date.now() - ago * 86_400_000).toISOString();
  return [
    ["the newest", "own", "limit=50", 50],
    ["the newest that failed", "own", "state=failed&limit=50", 50],
    ["all that wait", "own", "state=pending&limit=50", 50],
    ["a number that two or three have", "own", (n) => `to=${someNumber(n)}`],
    ["a number that nobody has", "own", (n) => `to=6281999${String(n).padStart(6, "0")}`],
    ["a number, failed", "own", (n) => `to=${someNumber(n)}&state=failed`],
    ["a number of another account's", "rare", (n) => `to=${someNumber(n)}`],
    ["a device of another account's", "own", `device=${RARE_DEVICE}`],
    ["200 messages of a small account", "rare", "limit=1000"],
    ["a code that nobody has", "own", "code=1003"],
    ["a common code", "own", "code=1001&limit=50", 50],
    ["one message's word", "own", `text=${RAREST_WORD}`],
    ["a word that nobody has", "own", (n) => `text=kata${n}`],
    ["a common word", "own", "text=terdaftar&limit=50", 50],
    ["two words that no message has", "own", "text=success%20terdaftar", 50],
    ["an hour, three weeks ago", "own", `since=${day(21.05)}&until=${day(21)}&limit=1000`, 1_000],
    ["a source that nobody has", "own", "source=campaign"],
  ];
}

const someNumber = (n) => recipient((n * 104_729) % RECIPIENTS);

/** Returns (who, path) => [answer, milliseconds]. */
function asker(origin, keys) {
  return async (who, path) => {
    const began = performance.now();
    const answer = await fetch(`${origin}/v1${path}`, {
      headers: { Authorization: `Bearer ${keys[who]}` },
    });
    const body = await answer.json();
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${JSON.stringify(body)}`);
    return [body, performance.now() - began];
  };
}

/** Follows `next` until `most` messages are found or the list ends, through 1,000 pages at most. */
async function measure(ask, name, who, query, most = Infinity) {
  const pages = [];
  const counts = [];
  let found = 0;
  for (let n = 0; n < SEARCHES; n += 1) {
    const filter = typeof query === "function" ? query(n) : query;
    let cursor = "";
    let count = 0;
    found = 0;
    do {
      const [page, took] = await ask(who, `/messages?${filter}${cursor}`);
      pages.push(took);
      count += 1;
      found += page.items.length;
      cursor = page.next && found < most ? `&cursor=${page.next}` : "";
    } while (cursor && count < 1_000);
    counts.push(count);
    if (count > 20) break; // Once is enough to see.
  }
  return { name, found, pages: median(counts), ...quantiles(pages) };
}

async function measureTimelines(ask) {
  const pages = [];
  for (let n = 0; n < SEARCHES; n += 1) {
    const [page] = await ask("own", `/messages?to=${someNumber(n)}`);
    if (page.items.length > 0) {
      pages.push((await ask("own", `/messages/${page.items.at(-1).id}/timeline`))[1]);
    }
  }
  return { name: "a timeline", found: 1, pages: 1, ...quantiles(pages) };
}

function quantiles(times) {
  const sorted = [...times].sort((a, b) => a - b);
  return { p50: median(sorted), p99: sorted[Math.ceil(sorted.length * 0.99) - 1] };
}

export function describeSearch({ unsummarised, summarisedIn, kinds, worst, target }) {
  const row = ({ name, found, pages, p50, p99 }) =>
    [name, grouped(found), String(pages), p50.toFixed(1), p99.toFixed(1)];
  return [
    `search: ${grouped(STORED)} messages stored, one request at a time, ` +
      `${SEARCHES} searches of each kind`,
    table([
      ["what", "found", "pages", "p50 of a page in ms", "p99"],
      ...kinds.map(row),
      row({ ...unsummarised, name: `${unsummarised.name}, before summaries` }),
    ]),
    `  all summarised within ${summarisedIn.toFixed(0)} s of the start`,
    `  slowest p99 ${worst.toFixed(1)} ms, target at most ${target}: ` +
      (worst <= target ? "met" : "MISSED"),
  ].join("\n");
}
