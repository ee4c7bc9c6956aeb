// Direct changes to a stopped gateway's store, which no command can make.
import { execFileSync } from "node:child_process";
import { closeSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Gateway } from "./gateway.ts";

const PAGE_BYTES = 4096;

const fileOf = (gateway: Gateway) => join(gateway.folder, "merpati.db");

/** Runs SQL; returns the rows, with columns separated by "|". */
export function sql(gateway: Gateway, statement: string): string[] {
  const output = execFileSync("sqlite3", [fileOf(gateway), statement], { encoding: "utf8" });
  return output.split("\n").filter(Boolean);
}

/** The pages that hold a table's rows, in the order of the rows. */
export function pagesOf(gateway: Gateway, table: string): number[] {
  const rows = `FROM dbstat WHERE name = '${table}' AND pagetype = 'leaf' ORDER BY path`;
  return sql(gateway, `SELECT pageno ${rows}`).map(Number);
}

/** Fills a page with zeros, as if the disk had lost it. */
export function losePage(gateway: Gateway, page: number): void {
  const file = openSync(fileOf(gateway), "r+");
  writeSync(file, Buffer.alloc(PAGE_BYTES), 0, PAGE_BYTES, (page - 1) * PAGE_BYTES);
  closeSync(file);
}
