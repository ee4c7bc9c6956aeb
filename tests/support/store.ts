// Damage to the SQLite file of a stopped gateway.
import { closeSync, openSync, writeSync } from "node:fs";
import type { Gateway } from "./gateway.ts";

const PAGE_BYTES = 4096;

/** The pages that hold a table's rows, in the order of the rows. */
export function pagesOf(gateway: Gateway, table: string): number[] {
  const rows = `FROM dbstat WHERE name = '${table}' AND pagetype = 'leaf' ORDER BY path`;
  return gateway.sql(`SELECT pageno ${rows}`).map(Number);
}

/** Fills a page with zeros, as if the disk had lost it. */
export function losePage(gateway: Gateway, page: number): void {
  const file = openSync(gateway.own(""), "r+");
  writeSync(file, Buffer.alloc(PAGE_BYTES), 0, PAGE_BYTES, (page - 1) * PAGE_BYTES);
  closeSync(file);
}
