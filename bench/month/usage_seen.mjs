// Usage by the hour, read while the gateway keeps it, because retention removes it in the month.

const HOUR_MS = 3_600_000;
const HOURS_READ = 3; // Between two readings, one may pass by itself and one by a step.

/** Adds up the counts of every hour; a count only grows until it is removed. */
export class UsageSeen {
  #cells = new Map(); // "account hour" -> {sent, failed}

  /** Reads the latest hours. `shops`: [{account, key}]; `now`: by the gateway's clock. */
  async read(client, shops, now) {
    const latest = Math.floor(now / HOUR_MS);
    for (const { account, key } of shops) {
      for (let hour = latest; hour > latest - HOURS_READ; hour -= 1) {
        const { sent, failed } = await usageOf(client, key, hour);
        const cell = this.#cells.get(`${account} ${hour}`);
        if (!cell && sent + failed === 0) continue;
        this.#cells.set(`${account} ${hour}`, {
          sent: Math.max(cell?.sent ?? 0, sent),
          failed: Math.max(cell?.failed ?? 0, failed),
        });
      }
    }
  }

  get total() {
    const add = (field) => [...this.#cells.values()].reduce((sum, cell) => sum + cell[field], 0);
    return { sent: add("sent"), failed: add("failed") };
  }

  /** How many of the hours of `shop` the gateway has no longer. */
  async removed(client, { account, key }) {
    let count = 0;
    for (const place of this.#cells.keys()) {
      const [of, hour] = place.split(" ");
      if (of !== account) continue;
      const { sent, failed } = await usageOf(client, key, Number(hour));
      if (sent + failed === 0) count += 1;
    }
    return count;
  }
}

async function usageOf(client, key, hour) {
  const time = (of) => encodeURIComponent(new Date(of * HOUR_MS).toISOString());
  const path = `/v1/usage?by=code&since=${time(hour)}&until=${time(hour + 1)}`;
  const { status, text, json } = await client.persist("GET", path, { key });
  if (status !== 200) throw new Error(`usage: ${status} ${text}`);
  const add = (field) => json().items.reduce((sum, row) => sum + row[field], 0);
  return { sent: add("sent"), failed: add("failed") };
}
