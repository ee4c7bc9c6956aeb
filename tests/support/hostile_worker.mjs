// A connector of a platform whose every text is an attack on whoever shows it: the text is the
// program's one argument. Its devices connect, but pairing them ends; every message is refused.
import { Socket } from "node:net";

const hostile = process.argv[2];
const gateway = new Socket({ fd: 3 });
let lastId = 0;

const write = (line) => gateway.write(`${JSON.stringify(line)}\n`);
const ask = (op, fields) => write({ id: (lastId += 1), op, ...fields });

function start({ device, pairing }) {
  if (!pairing) {
    ask("device.state", { device, state: "connected", reason: "" });
    return;
  }
  ask("device.state", { device, state: "pairing", reason: hostile });
  ask("device.state", { device, state: "disconnected", reason: hostile });
}

function take(line) {
  if (line.ok !== undefined) return;
  if (line.op === "send") {
    const error = { kind: "recipient_refused", details: hostile, platform_code: "<b>7</b>" };
    write({ id: line.id, ok: false, error });
    return;
  }
  write({ id: line.id, ok: true });
  if (line.op === "device.start") start(line);
  if (line.op === "shutdown") process.exit(0);
}

let text = "";
gateway.setEncoding("utf8");
gateway.on("data", (piece) => {
  const lines = (text + piece).split("\n");
  text = lines.pop();
  for (const line of lines) take(JSON.parse(line));
});
gateway.on("close", () => process.exit(0));
const capabilities = { pairing: ["qr"], window: 4 };
ask("hello", { protocols: [1], name: "hostile", version: "1", capabilities });
