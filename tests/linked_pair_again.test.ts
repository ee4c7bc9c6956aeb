// A phone is unlinked and linked again on the stand-in platform: waiting messages are held.
import { spawn } from "node:child_process";
import { afterAll, beforeAll, expect, test } from "vitest";
import { silenceLibsignal } from "./standin/phone/quiet.ts";
import { StandIn } from "./standin/stand_in.ts";
import { shop, type Account } from "./support/account.ts";
import { binary, environment } from "./support/binary.ts";
import { expectAccepted } from "./support/expect.ts";
import { Gateway } from "./support/gateway.ts";
import { freshNumber, freshText } from "./support/numbers.ts";
import { Sink } from "./support/sink.ts";
import { waitFor, within } from "./support/wait.ts";

let standIn: StandIn;
let gateway: Gateway;
let sink: Sink;
let account: Account;

beforeAll(async () => {
  silenceLibsignal();
  standIn = await StandIn.start();
  sink = await Sink.open({ secure: false });
  gateway = await Gateway.create({
    settings: {
      ...standIn.gatewaySettings,
      "outbound.allow_http_callbacks": true,
    },
  });
  ({ account } = await shop(gateway));
});
afterAll(async () => {
  await gateway.close();
  await sink.close();
  await standIn.end();
});

const show = async (number: string) =>
  (await gateway.json("device", "list")).find((one: any) => one.number === number);

/** Pairs as a program does; the phone scans each code that is shown. */
async function pair(number: string): Promise<void> {
  const args = ["--config", gateway.config, "device", "pair", number, "--json"];
  const child = spawn(binary, args, {
    env: environment(),
    cwd: gateway.folder,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let shown = "";
  let scanned = false;
  child.stdout.setEncoding("utf8").on("data", (piece: string) => {
    shown += piece;
    const first = shown.includes("\n") ? JSON.parse(shown.split("\n")[0]!) : undefined;
    if (first?.method === "qr" && !scanned) {
      scanned = true;
      void standIn.phone(number).scan(first.payload);
    }
  });
  const closed = new Promise<number>((resolve) => child.on("close", (code) => resolve(code ?? -1)));
  expect(await within("the pairing", closed, 30_000), shown).toBe(0);
}

test("a number that was unlinked holds what waited when it is linked again", async () => {
  const number = freshNumber();
  const recipient = freshNumber();
  const phone = standIn.phone(recipient);
  const flags = ["--connector", "linked", "--webhook", sink.url("/device"), "--gap", "0s"];
  await account.device(number, ...flags);
  await pair(number);
  const message = freshText();
  const body = { to: recipient, from: number, message, Type: "text", delay: 8 };
  expectAccepted(await account.send(body));
  standIn.close(number, 401);
  await waitFor("the device to be logged out", async () => {
    return (await show(number)).state === "logged_out";
  });
  expect((await show(number)).state_reason).not.toBeNull();
  await pair(number);
  expect(await show(number)).toMatchObject({ state: "connected", paused_reason: "paired_again" });

  const told = () =>
    sink.at("/device").map((one) => one.json).filter((one) => one.event !== "device.pairing");
  await waitFor("the webhook", () => told().length >= 3);
  expect(told().map((one) => [one.event, one.data.state])).toEqual([
    ["device.connected", "connected"],
    ["device.disconnected", "logged_out"],
    ["device.connected", "connected"],
  ]);
  expect(told()[2].data.reason).toContain("Dipasangkan ulang");
  expect(phone.shown).toEqual([]);
  await gateway.json("device", "resume", number);
  await waitFor("the message", () => phone.shown.length === 1, 30_000);
  expect(phone.shown[0]).toMatchObject({ from: number, text: message });
}, 120_000);
