// The stand-in as a program: prints one line of JSON with its addresses, and runs until it is told
// to stop. With `--with-parent` it also stops when its standard input ends.
import { addressOf } from "../control/server.ts";
import { about, serveControl } from "./control.ts";
import { silenceLibsignal } from "./phone/quiet.ts";
import { StandIn } from "./stand_in.ts";

silenceLibsignal();
const standIn = await StandIn.start();
const control = await serveControl(standIn);
const where = { ...about(standIn), control: addressOf(control) };
process.stdout.write(`${JSON.stringify(where)}\n`);

async function end(): Promise<void> {
  control.close();
  control.closeAllConnections();
  await standIn.end();
  process.exit(0);
}

process.once("SIGINT", () => void end());
process.once("SIGTERM", () => void end());
if (process.argv.includes("--with-parent")) {
  process.stdin.resume().once("end", () => void end());
}
