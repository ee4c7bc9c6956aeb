// Runs main.ts.
import ts from "typescript";
import { run } from "../control/program.mjs";

await run(ts, import.meta.dirname);
