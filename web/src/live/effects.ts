// What the events of the stream change.

import { readCallback } from "../api/callbacks.ts";
import { readCampaign } from "../api/campaigns.ts";
import { readDevice } from "../api/devices.ts";
import { readMessage } from "../api/messages.ts";
import type { Subject } from "../queries/query.ts";

/** Lists that have the item of an event as a row. */
export interface Lists {
  subject: Subject;
  read: (id: string) => Promise<object>;
  /** Filters by what events change: whether a row still fits, only the gateway knows. */
  filters: readonly string[];
}

export interface Effect {
  id: string; // The name of the item's id, in the event and in rows.
  lists?: Lists;
  item: readonly Subject[]; // Queries about the item, whose id is in their keys.
  others: readonly Subject[];
}

export const EFFECTS: Readonly<Record<string, Effect>> = {
  "message.updated": {
    id: "id",
    lists: { subject: "messages", read: (id) => readMessage(id), filters: ["state", "code"] },
    item: ["message", "timeline"],
    others: ["usage"],
  },
  "callback.attempt": {
    id: "id",
    lists: { subject: "callbacks", read: (id) => readCallback(id), filters: ["state"] },
    item: ["callback", "attempts"],
    others: ["hosts", "timeline"],
  },
  "device.state": {
    id: "number",
    lists: { subject: "devices", read: (number) => readDevice(number), filters: [] },
    item: ["device", "pairing"],
    others: [],
  },
  "device.qr": { id: "number", item: ["pairing"], others: [] },
  "account.credit": { id: "", item: [], others: ["ledger"] },
  "campaign.state": {
    id: "id",
    lists: { subject: "campaigns", read: (id) => readCampaign(id), filters: ["state"] },
    item: ["campaign", "recipients"], // Of one that has ended, pages poll no recipients any more.
    others: [],
  },
};

/** Of an account that has to be read again. */
export const ACCOUNT: Effect = { id: "", item: [], others: ["account"] };

/** What the events of one type have changed. */
export interface Change {
  effect: Effect;
  ids: Set<string>;
  many: boolean; // There are others, which the events do not name.
}
