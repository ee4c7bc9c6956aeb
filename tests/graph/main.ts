// The test server as a program: prints one line of JSON with its addresses, and runs until it is
// told to stop. `--fast`: for measurements; webhooks come in batches, and nothing is recorded.
import { addressOf } from "../control/server.ts";
import { serveControl } from "./control.ts";
import { Graph } from "./graph.ts";

const fast = { batchMs: 20, batchMax: 500, recorded: false };
const graph = await Graph.start(process.argv.includes("--fast") ? fast : {});
const control = await serveControl(graph);
const where = { url: graph.url, secret: graph.secret, control: addressOf(control) };
process.stdout.write(`${JSON.stringify(where)}\n`);

async function end(): Promise<void> {
  control.close();
  control.closeAllConnections();
  await graph.end();
  process.exit(0);
}

process.once("SIGINT", () => void end());
process.once("SIGTERM", () => void end());
