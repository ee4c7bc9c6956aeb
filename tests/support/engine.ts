// Tests that are about the files of one engine.
import { test } from "vitest";
import { onPostgres } from "./postgres.ts";

/** A test about the SQLite file. With PostgreSQL it is skipped, because there is no such file. */
export const sqliteTest = test.skipIf(onPostgres);
