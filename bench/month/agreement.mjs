// Whether the gateway's books agree with what was counted outside.

/**
 * Balances, ledgers, usage and the gateway's own check; rows of {what, found, wanted, met}.
 * `granted`: the credit that each shop began with. `hoursRemoved`: how many hours of usage
 * retention must have removed; 0: the machine's clock had no steps, so that no hour is old.
 */
export async function agreementOf({ world, client, shops, books, usage, granted, hoursRemoved }) {
  await usage.read(client, shops, world.now());
  let credit = 0;
  const ledger = { amount: 0, charged: 0, openings: 0 };
  for (const { account, key } of shops) {
    credit += world.command("account", "show", account).credit;
    const rows = await ledgerOf(client, key);
    for (const row of rows) {
      ledger.amount += row.amount;
      ledger.charged += row.charged - row.refunded;
    }
    const oldest = rows.at(-1);
    if (oldest.kind === "opening" && oldest.charged > 0) ledger.openings += 1;
  }
  const { findings } = world.command("doctor");
  const { sent, failed } = usage.total;
  const charged = books.ended.sent + books.held.length;
  const row = (what, found, wanted) => ({ what, found, wanted, met: found === wanted });
  const atLeast = (what, found, wanted) => ({ what, found, wanted, met: found >= wanted });
  const rows = [
    row("credit spent", shops.length * granted + books.booked - credit, charged),
    row("ledger: amounts", ledger.amount, credit),
    row("ledger: messages charged", ledger.charged, charged),
    row("usage: sent", sent, books.ended.sent),
    row("usage: failed", failed, books.ended.failed),
    row("doctor on credit", findings.find((one) => one.subject === "credit")?.verdict, "good"),
  ];
  if (hoursRemoved === 0) return rows;
  return rows.concat(
    row("ledgers with an opening row", ledger.openings, shops.length),
    atLeast("hours of usage removed", await usage.removed(client, shops[0]), hoursRemoved),
  );
}

/** All rows, newest first. */
async function ledgerOf(client, key) {
  const rows = [];
  for (let cursor = ""; cursor !== null; ) {
    const path = `/v1/account/credit?limit=1000${cursor && `&cursor=${cursor}`}`;
    const { status, text, json } = await client.persist("GET", path, { key });
    if (status !== 200) throw new Error(`ledger: ${status} ${text}`);
    const { items, next } = json();
    rows.push(...items);
    cursor = next;
  }
  return rows;
}
