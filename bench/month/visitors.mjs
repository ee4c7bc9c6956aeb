// Everything beside sending that a busy month brings: people, managers, searches, exports, an event
// stream, backups, accounts and keys that come and go.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { recipientOf } from "./senders.mjs";

const PAGE = { "x-merpati-request": "1", "sec-fetch-site": "same-origin" };
// A full disk, a stop, a limit, and a session that ended with its person.
const EXPECTED = new Set([200, 201, 202, 204, 401, 404, 409, 429, 503, 507]);
const FULL = /Penyimpanan server penuh/;

/**
 * Starts all visitors; `stop` resolves with {calls, wrong, events}. `wrong`: statuses that no
 * disturbance explains.
 */
export function startVisitors({ client, world, admin, shops, books, minuteMs }) {
  const seen = { calls: 0, events: 0, backups: 0, exported: 0, wrong: {} };
  let running = true;
  let count = 0;
  const work = [];
  const ask = async (method, path, options = {}) => {
    const headers = { ...options.headers };
    if (method === "POST") headers["idempotency-key"] ??= `visit-${(count += 1)}`;
    const answer = await client.persist(method, path, { ...options, headers });
    seen.calls += 1;
    if (!EXPECTED.has(answer.status) && !FULL.test(answer.text)) {
      const what = `${answer.status} ${method} ${path.replace(/[0-9a-f-]{36}|\d{6,}/g, "ID")}`;
      const wrong = (seen.wrong[what] ??= { count: 0, first: answer.text.slice(0, 300) });
      wrong.count += 1;
    }
    return answer;
  };
  /** Repeats `visit` in this many parts of a minute. */
  const often = (perMinute, visit) =>
    work.push(
      (async () => {
        while (running) {
          await visit();
          await pause(minuteMs / perMinute);
        }
      })(),
    );
  const shop = (index) => shops[index % shops.length];

  often(60, async () => {
    const { key, account } = shop(count);
    const made = await ask("POST", "/v1/keys", {
      key: admin,
      body: { account, name: "kasir", scopes: ["messages:read"] },
    });
    if (made.status !== 201 && made.status !== 200) return;
    await ask("GET", "/v1/keys", { key });
    await ask("DELETE", `/v1/keys/${made.json().id}`, { key: admin });
  });
  often(1, async () => {
    const made = await ask("POST", "/v1/admin/accounts", { key: admin, body: { name: "baru" } });
    if (made.status >= 300) return;
    const { id } = made.json();
    const expires = new Date(Date.now() - 1000).toISOString();
    await ask("PATCH", `/v1/admin/accounts/${id}`, { key: admin, body: { expires_at: expires } });
  });
  often(30, async () => {
    const amount = 1 + (count % 7);
    const answer = await ask("POST", `/v1/admin/accounts/${shop(count).account}/topup`, {
      key: admin,
      body: { amount, reason: "setoran" },
    });
    // The booking was made, but a kill came before its answer was stored.
    const unfinished = answer.text.includes("idempotency_unfinished");
    if (answer.status === 200 || unfinished) books.booked += amount;
  });
  often(6, async () => {
    const email = `orang${(count += 1)}@example.com`;
    const password = `sandi panjang ${count}`;
    const { account, key } = shop(count);
    const made = await ask("POST", "/v1/admin/people", {
      key: admin,
      body: { email, password, account, role: "viewer" },
    });
    if (made.status >= 300) return;
    const entry = await ask("POST", "/v1/session", {
      headers: { ...PAGE, "idempotency-key": `entry-${count}` },
      body: { email, password },
    });
    const cookie = entry.headers["set-cookie"]?.[0]?.split(";")[0];
    if (cookie) {
      const headers = { ...PAGE, cookie };
      await ask("GET", "/v1/session", { headers });
      await ask("GET", `/v1/messages?account=${account}&limit=50`, { headers });
      await ask("DELETE", "/v1/session", { headers });
    }
    await ask("DELETE", `/v1/admin/people/${encodeURIComponent(email)}`, { key: admin });
    await ask("GET", "/v1/account/log", { key });
  });
  often(60, async () => {
    const { key, devices } = shop((count += 1));
    const queries = [
      "/v1/messages?limit=100",
      "/v1/messages?state=failed&limit=100",
      `/v1/messages?to=${recipientOf(count)}`,
      `/v1/messages?device=${devices[0]}&limit=50`,
      "/v1/callbacks?state=waiting",
      "/v1/callbacks/hosts",
      "/v1/usage?by=day,code",
      "/v1/account/credit",
      "/v1/devices?count=true",
    ];
    await ask("GET", queries[count % queries.length], { key });
  });
  often(0.5, async () => {
    const answer = await ask("GET", "/v1/messages/export?format=csv", { key: shop(0).key });
    seen.exported += answer.text.length;
  });
  often(12, async () => {
    const { key, devices } = shop((count += 1));
    const number = devices.at(-1);
    await ask("POST", `/v1/devices/${number}/pause`, { key });
    await ask("POST", `/v1/devices/${number}/resume`, { key });
  });
  often(12, async () => {
    const failed = books.takeFailed();
    if (!failed) return;
    const { id, key } = failed;
    const again = () => ask("POST", `/v1/messages/${id}/retry`, { key });
    let answer = await again();
    // A kill cut the first call off after its commit: a second one is told which message it made.
    if (answer.status === 409) answer = await again();
    const earlier = /as ([0-9a-f-]{36})/.exec(answer.text)?.[1];
    const made = answer.status < 300 ? answer.json().id : earlier;
    if (made) books.answered(made, { at: performance.now(), isPrompt: false, key });
  });
  often(1 / 3, async () => {
    const file = join(world.folder, `backup-${(seen.backups += 1)}.db`);
    await world.commandBeside("backup", file).catch((error) => {
      // The server was killed or stopped meanwhile, or the disk was full.
      if (running) seen.failedBackups = (seen.failedBackups ?? 0) + 1;
      else throw error;
    });
    rmSync(file, { force: true });
  });
  work.push(
    (async () => {
      while (running) {
        const onPiece = (piece) => (seen.events += piece.split("\nevent:").length - 1);
        await client.stream("/v1/events", { key: shop(0).key, onPiece });
        await pause(200);
      }
    })(),
  );
  return {
    seen,
    stop: async () => {
      running = false;
      client.endStreams();
      await Promise.all(work);
      return seen;
    },
  };
}
