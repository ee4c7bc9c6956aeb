// A gateway, an account with a device, and a receiver of callbacks, for many tests.
import { shop, type Account } from "./account.ts";
import { certificates } from "./certificates.ts";
import { expectAccepted } from "./expect.ts";
import { Gateway, type AccountFlags, type Settings } from "./gateway.ts";
import { freshText } from "./numbers.ts";
import { Sink } from "./sink.ts";

interface CallbackShopOptions {
  secure?: boolean; // False: callbacks over HTTP instead of HTTPS.
  settings?: Settings;
  account?: AccountFlags;
}

export interface CallbackShop {
  gateway: Gateway;
  sink: Sink;
  account: Account;
  device: string;
  close(): Promise<void>;
}

export async function openShop(options: CallbackShopOptions = {}): Promise<CallbackShop> {
  const secure = options.secure ?? true;
  const sink = await Sink.open({ secure });
  const receiver: Settings = secure
    ? { "outbound.ca_file": certificates().caFile }
    : { "outbound.allow_http_callbacks": true };
  const gateway = await Gateway.create({ settings: { ...receiver, ...options.settings } });
  const close = async () => {
    await gateway.close();
    await sink.close();
  };
  return { gateway, sink, close, ...(await shop(gateway, options.account)) };
}

export interface Sent {
  id: string;
  message: string;
  path: string; // Of its callback, at the sink.
}

/** Sends a text from this account's device, with a callback to a new path. */
export async function sendText(
  sink: Sink,
  account: Account,
  from: string,
  to: string | number = "6281234567890",
): Promise<Sent> {
  const message = freshText();
  const path = `/${message.split(" ").pop()}`;
  const body = { to, from, message, Type: "text", callbackStatus: sink.url(path) };
  return { id: expectAccepted(await account.send(body), to), message, path };
}

/** Whether the connector has the message, and has not said what became of it. */
export async function isAtPlatform(gateway: Gateway, message: string): Promise<boolean> {
  return (await gateway.json("message", "show", message)).waits?.for === "platform";
}
