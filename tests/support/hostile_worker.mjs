// A connector whose every text is an attack on the program that shows it; the text is the only
// argument. Its devices connect. The last digit of a device's number chooses the pairing step: 1 a
// QR code, 2 a code, 3 a one-time password, 4 a passkey. With other digits, and after an answer,
// the pairing ends. Messages are refused, except those to recipients that end in 1.
import { Socket } from "node:net";

const hostile = process.argv[2];
const gateway = new Socket({ fd: 3 });
let lastId = 0;

const STEPS = {
  1: { method: "qr", payload: hostile },
  2: { method: "code", payload: "<img src=x>" },
  3: { method: "otp", payload: hostile },
  4: { method: "passkey", payload: JSON.stringify({ challenge: hostile, rp: { name: hostile } }) },
};

const write = (line) => gateway.write(`${JSON.stringify(line)}\n`);
const ask = (op, fields) => write({ id: (lastId += 1), op, ...fields });

function start({ device, pairing }) {
  if (!pairing) {
    ask("device.state", { device, state: "connected", reason: "" });
    return;
  }
  ask("device.state", { device, state: "pairing", reason: hostile });
  const step = STEPS[device.at(-1)];
  if (step) write({ op: "device.pairing", device, ...step, expires_in_ms: 600_000 });
  else end({ device });
}

function end({ device }) {
  const platform_code = "<b>8</b>";
  ask("device.state", { device, state: "disconnected", reason: hostile, platform_code });
}

function take(line) {
  if (line.ok !== undefined) return;
  if (line.op === "send" && line.to.endsWith("1")) {
    const result = { outcome: "sent", platform_id: "<img/src=x/onerror=alert(5)>" };
    write({ id: line.id, ok: true, result });
    return;
  }
  if (line.op === "send") {
    const error = { kind: "recipient_refused", details: hostile, platform_code: "<b>7</b>" };
    write({ id: line.id, ok: false, error });
    return;
  }
  write({ id: line.id, ok: true });
  if (line.op === "device.start") start(line);
  if (line.op === "device.answer") end(line);
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
const capabilities = { pairing: ["qr", "code", "otp", "passkey"], window: 4 };
ask("hello", { protocols: [1], name: "hostile", version: "1", capabilities });
