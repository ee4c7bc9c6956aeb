// Devices, what waits for them, and how they are paired.
import {
  listConnectors,
  listDevices,
  listTemplates,
  readDevice,
  readPairing,
  readQrCode,
  readQueue,
} from "../api/devices.ts";
import { PAGE } from "../api/pages.ts";
import type { Device, MessageTemplate } from "../api/types.ts";
import { answer, everyItem, type Listing } from "./query.ts";

/** Of an account; empty: of all accounts, for administrators. */
export const devices = {
  /** With the number of messages that wait for each. */
  list: (account: string): Listing<Device> => ({
    queryKey: ["devices", account, "paged"],
    fetchPage: (cursor, cancel) =>
      listDevices({ account, count: true, limit: PAGE, cursor }, cancel),
  }),
  every: (account: string) =>
    everyItem<Device>(["devices", account, "all"], (cursor, cancel) =>
      listDevices({ account, cursor }, cancel),
    ),
  /** Every device with the number of messages that wait for it. */
  counted: (account: string) =>
    everyItem<Device>(["devices", account, "counted"], (cursor, cancel) =>
      listDevices({ account, count: true, cursor }, cancel),
    ),
  one: (number: string) => answer(["device", number], (cancel) => readDevice(number, cancel)),
  /** After it was linked, apart from what was known of it before. */
  linked: (number: string) =>
    answer(["device", "linked", number], (cancel) => readDevice(number, cancel)),
  /** Those of the device's business account at the official platform, which is asked. */
  templates: (number: string) =>
    everyItem<MessageTemplate>(["templates", number], (cursor, cancel) =>
      listTemplates(number, { cursor }, cancel),
    ),
  queue: (number: string) =>
    answer(["device", number, "queue"], (cancel) => readQueue(number, cancel)),
  pairing: (number: string) => answer(["pairing", number], (cancel) => readPairing(number, cancel)),
  /** The pairing that is under way when the dialog is opened. No event reads it again. */
  pairingFound: (number: string) =>
    answer(["pairing-found", number], (cancel) => readPairing(number, cancel)),
  /** The code changes with the payload. */
  qr: (number: string, payload: string) =>
    answer(["qr", number, payload], (cancel) => readQrCode(number, cancel)),
  connectors: (account: string) =>
    answer(["connectors", account], (cancel) => listConnectors(account, cancel)),
};
