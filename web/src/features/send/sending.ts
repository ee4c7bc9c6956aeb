// Sends the form's message to its recipients, one after the other.
import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useSyncExternalStore } from "react";
import { sendMessage } from "../../api/messages.ts";
import { Problem } from "../../api/problem.ts";
import type { MessageDetail, NewMessage } from "../../api/types.ts";
import { messages } from "../../queries/messages.ts";
import type { FormStore } from "./form_store.ts";
import { bodyOf, type Result, withKey, withResult } from "./send_form.ts";

const DEADLINE = 60_000; // Of one request; the gateway may have to read a media file first.
const AGAIN_AFTER = 1000; // While an earlier request with the same key is being carried out.
const AGAIN_MAX = 5;

// The gateway has carried out an earlier request with this key, whose answer was lost.
const EARLIER = ["idempotency_key_reused", "idempotency_unfinished"];

/**
 * Sends to each recipient of the form. Ends early when the gateway cannot be reached or the session
 * has ended: the others stay in the form. Repeats use the keys of the tries before.
 */
export async function sendAll(
  store: FormStore,
  account: string,
  onAccepted: (message: MessageDetail) => void,
): Promise<void> {
  const begun = store.now(); // What is typed meanwhile is for the next send.
  for (const to of begun.to) {
    if (!store.now().to.includes(to)) continue; // Removed meanwhile.
    store.change((form) => withKey(form, to));
    try {
      const message = await sendOne(bodyOf(begun, account, to), store.now().keys[to] ?? "");
      onAccepted(message);
      store.change((form) => withResult(form, { to, id: message.id }));
    } catch (error) {
      store.change((form) => withResult(form, resultOf(to, error)));
      if (error instanceof Problem && ENDS_ALL.includes(error.status)) return;
    }
  }
}

const ENDS_ALL = [0, 401];

async function sendOne(body: NewMessage, key: string): Promise<MessageDetail> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await sendMessage(body, key, { signal: AbortSignal.timeout(DEADLINE) });
    } catch (error) {
      const isRunning = error instanceof Problem && error.code === "idempotency_in_progress";
      if (!isRunning || tries >= AGAIN_MAX) throw error;
      await new Promise((resolve) => setTimeout(resolve, AGAIN_AFTER));
    }
  }
}

export function resultOf(to: string, error: unknown): Result {
  if (!(error instanceof Problem)) return { to, unknown: true };
  if (EARLIER.includes(error.code)) return { to, earlier: true };
  const isDecided = error.status >= 400 && error.status < 500 && error.status !== 409;
  const isRefusal = isDecided || (error.status === 503 && error.message !== "");
  return isRefusal ? { to, refusal: error.message } : { to, unknown: true };
}

// Forms that are being sent, so that a page that was left and opened again knows it.
const busy = new Set<FormStore>();
const listeners = new Set<() => void>();

function setBusy(store: FormStore, isBusy: boolean): void {
  if (isBusy) busy.add(store);
  else busy.delete(store);
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Whether the form is being sent, and a function that sends it. */
export function useSending(store: FormStore, account: string): [boolean, () => Promise<void>] {
  const queries = useQueryClient();
  const send = useCallback(async () => {
    if (busy.has(store)) return;
    setBusy(store, true);
    try {
      await sendAll(store, account, (message) => {
        // The event that it was sent may have come before this answer, which is also the first one
        // again when a request is repeated. So it counts as old, and the result reads the message.
        queries.setQueryData(messages.one(message.id).queryKey, message, { updatedAt: 0 });
      });
    } finally {
      setBusy(store, false);
    }
  }, [store, account, queries]);
  return [useSyncExternalStore(subscribe, () => busy.has(store)), send];
}
