// A device that its platform restricts is online: it sends, except what begins a new chat.
import { expect, test } from "vitest";
import type { Device, Message } from "../src/api/types.ts";
import { outcomeOf } from "../src/features/messages/message_outcome.ts";
import { formatFor } from "../src/texts/format.ts";
import { textsOf, type Words } from "../src/texts/index.tsx";
import { reasonText } from "../src/texts/reasons.ts";
import { isOnline } from "../src/ui/device_state.tsx";

const words: Words = {
  language: "en",
  setLanguage: () => undefined,
  t: textsOf("en"),
  format: formatFor("en"),
  reason: (text) => reasonText(text, "en"),
};
const inMinutes = (count: number) => new Date(Date.now() + count * 60_000).toISOString();
const device = (state: string, more: Partial<Device> = {}) =>
  ({ state, paused_since: null, restricted_until: inMinutes(5), ...more }) as Device;
const due = (more: Partial<Message> = {}) =>
  ({ state: "pending", due_at: inMinutes(-1), attempts: 0, details: null, ...more }) as Message;
const shown = (message: Message, sender: Device) => outcomeOf(message, sender, words);

test("only connected and restricted devices are online", () => {
  const states = [
    "connected",
    "restricted",
    "reconnecting",
    "disconnected",
    "logged_out",
    "banned",
  ];
  expect(states.filter((state) => isOnline({ state }))).toEqual(["connected", "restricted"]);
});

test("a due message of a restricted device is not said to wait for a connection", () => {
  expect(shown(due(), device("restricted"))).toBe("");
  expect(shown(due(), device("disconnected"))).toBe("the device is not connected");
});

test("a message that would begin a chat waits for the restriction's end", () => {
  const waits = due({ next_attempt_at: inMinutes(5) });
  expect(shown(waits, device("restricted"))).toMatch(
    /^the end of the device's restriction · until /,
  );
  const paused = device("restricted", { paused_since: inMinutes(-1) });
  expect(shown(waits, paused)).toBe("the device is paused");
});

test("one whose attempt failed for a passing reason says that", () => {
  const failed = due({
    attempts: 1,
    details: "Platform meminta jeda",
    next_attempt_at: inMinutes(1),
  });
  expect(shown(failed, device("restricted"))).toMatch(/^The platform asked for a pause · next /);
});
