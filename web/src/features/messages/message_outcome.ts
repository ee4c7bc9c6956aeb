// What became of a message, or why it waits, in one line of a list.
import type { Device, Message, MessageState } from "../../api/types.ts";
import type { Words } from "../../texts/index.tsx";
import { isOnline, isPaused } from "../../ui/device_state.tsx";
import { codeText } from "../../ui/message_state.tsx";

const FAILED = 500; // The code that says no more than that.

const UNFINISHED = new Set<MessageState>(["pending", "sending", "handed_over", "held"]);

/** Whether the state will change. */
export function isUnfinished(state: MessageState): boolean {
  return UNFINISHED.has(state);
}

/** `device` is the message's sender, if it is known. */
export function outcomeOf(message: Message, device: Device | undefined, words: Words): string {
  switch (message.state) {
    case "sent":
    case "cancelled":
      return "";
    case "pending":
    case "sending":
      return waitOf(message, device, words);
    default:
      return endOf(message, words);
  }
}

/** "1001 · Recipient is not registered"; of a general failure its own reason. */
export function endOf({ code, details, state }: Message, { t, reason }: Words): string {
  if (state === "held") return reason(details);
  const text = code === FAILED ? reason(details) || codeText(code, t) : codeText(code, t);
  return [code, text || reason(details)].filter(Boolean).join(" · ");
}

function waitOf(
  message: Message,
  device: Device | undefined,
  { t, format, reason }: Words,
): string {
  const now = Date.now();
  const until = (time: string) => t.messages.until_(format.clock(time));
  if (Date.parse(message.due_at) > now) {
    return `${t.messages.waits.due} · ${until(message.due_at)}`;
  }
  if (device && isPaused(device)) return t.messages.waits.paused;
  if (device && !isOnline(device)) return t.messages.waits.device;
  const next = message.next_attempt_at;
  if (!next || Date.parse(next) <= now) return reason(message.details);
  // Only the wait for a restriction's end leaves no details.
  if (device?.state === "restricted" && !message.details) {
    return `${t.messages.waits.restricted} · ${until(next)}`;
  }
  if (message.attempts > 0) {
    return `${reason(message.details)} · ${t.messages.again(format.clock(next))}`;
  }
  return reason(message.details);
}
