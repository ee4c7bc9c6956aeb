// One EventSource a browser: the tab that holds the lock reads the stream and forwards the events
// to the other tabs.

import { sessionEnded } from "../api/client.ts";

export interface LiveEvent {
  type: string;
  data: unknown;
}

interface Listener {
  onState: (live: boolean) => void;
  onEvent: (event: LiveEvent) => void;
}

type Told =
  | { kind: "event"; event: LiveEvent }
  | { kind: "state"; live: boolean }
  | { kind: "who" };

export const EVENTS = [
  "message.updated",
  "callback.attempt",
  "device.state",
  "device.qr",
  "account.credit",
  "campaign.state",
  "campaign.progress",
  "resync",
] as const;

const AGAIN_AFTER = 30_000; // After an answer that is not a stream.

export class Stream {
  private readonly account: string;
  private readonly listener: Listener;
  private channel: BroadcastChannel | undefined;
  private readonly ended = new AbortController();
  private live = false;
  private leads = false;
  private hasBegun = false;

  constructor(account: string, listener: Listener) {
    this.account = account;
    this.listener = listener;
  }

  start(): void {
    if (!("locks" in navigator) || typeof BroadcastChannel === "undefined") {
      void this.read();
      return;
    }
    const name = `merpati.events.${this.account}`;
    this.channel = new BroadcastChannel(name);
    this.channel.onmessage = (message: MessageEvent<Told>) => this.hear(message.data);
    this.tell({ kind: "who" });
    navigator.locks
      .request(name, { signal: this.ended.signal }, () => this.read())
      .catch(() => undefined); // Stopped before this tab got the lock.
  }

  stop(): void {
    this.ended.abort();
    this.channel?.close();
    this.channel = undefined;
  }

  private hear(told: Told): void {
    if (told.kind === "event") this.listener.onEvent(told.event);
    if (told.kind === "state") this.listener.onState(told.live);
    if (told.kind === "who" && this.leads) this.tell({ kind: "state", live: this.live });
  }

  private tell(told: Told): void {
    this.channel?.postMessage(told);
  }

  private async read(): Promise<void> {
    this.leads = true;
    while (!this.ended.signal.aborted) {
      await this.readOnce();
      await pause(AGAIN_AFTER, this.ended.signal);
    }
    this.leads = false;
  }

  /** Reads until `stop`, or until the gateway's answer is not a stream. */
  private readOnce(): Promise<void> {
    return new Promise((resolve) => {
      const source = new EventSource(`/v1/events?account=${encodeURIComponent(this.account)}`);
      let isNew = true;
      const end = () => {
        source.close();
        this.become(false);
        resolve();
      };
      source.onopen = () => {
        this.become(true);
        // A new stream begins with the next event, and misses changes since the page was read: for
        // the first one of this tab, a moment ago. After a reconnection the browser sends the id of
        // the last event, so nothing is missed.
        if (isNew) this.resync();
        isNew = false;
      };
      source.onerror = () => {
        this.become(false);
        this.hasBegun = true; // One that opens after this has missed more than a moment.
        // The browser itself reconnects a broken connection.
        if (source.readyState !== EventSource.CLOSED) return;
        // The session may have ended; no other request would show it while the page is only read.
        sessionEnded.dispatchEvent(new Event("ended"));
        end();
      };
      for (const type of EVENTS) {
        source.addEventListener(type, (message) => this.take(type, (message as MessageEvent).data));
      }
      this.ended.signal.addEventListener("abort", end, { once: true });
    });
  }

  private resync(): void {
    this.listener.onEvent({ type: this.hasBegun ? "resync" : "begin", data: null });
    this.hasBegun = true;
    this.tell({ kind: "event", event: { type: "resync", data: null } });
  }

  private take(type: string, text = "null"): void {
    const event = { type, data: parsed(text) };
    this.listener.onEvent(event);
    this.tell({ kind: "event", event });
  }

  private become(live: boolean): void {
    this.live = live;
    this.listener.onState(live);
    this.tell({ kind: "state", live });
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

function pause(milliseconds: number, until: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (until.aborted) return resolve();
    const timer = setTimeout(resolve, milliseconds);
    const stop = () => {
      clearTimeout(timer);
      resolve();
    };
    until.addEventListener("abort", stop, { once: true });
  });
}
