// The parts of the stand-in platform (tests/standin) that these tests use.
import { fileURLToPath } from "node:url";

export interface Event {
  type: string;
  number?: string;
  [detail: string]: unknown;
}

export interface Phone {
  shown: { id: string; from: string; text?: string; kind: string; data?: Buffer }[];
  receipts: boolean;
  passkey: boolean;
  account: { lockedUntil: number | undefined };
  saveContacts(count: number): void;
  scan(qr: string): Promise<number>;
  enterCode(code: string): Promise<number>;
  send(to: string, what: unknown, server?: "s.whatsapp.net" | "lid"): Promise<string>;
  read(to: string, ids: string[]): void;
  /// Loses its sessions, so that it cannot decrypt messages that continue them.
  forgetSessions(): void;
}

export interface StandIn {
  url: string;
  rootFile: string;
  rootKey: Buffer;
  chainFault: string | undefined;
  lookUpFault: "missing" | "error" | undefined;
  reachout: { tokensRequired: boolean };
  /// `issuer` trusts `number`, which may write to it from now on.
  trust(issuer: string, number: string): void;
  /// Until a time in milliseconds; undefined: no longer.
  lock(number: string, until: number | undefined): void;
  cap(number: string, until: number | undefined): void;
  pairing: { fault: "signature" | "seal" | undefined };
  events: {
    last: number;
    after(sequence: number, matches?: (event: Event) => boolean): Event[];
    wait(
      what: string,
      matches: (event: Event) => boolean,
      after?: number,
      deadline?: number,
    ): Promise<Event>;
  };
  faults: {
    add(fault: { action: string; code?: number; from?: string; to?: string; times?: number }): void;
    clear(): void;
    release(): number;
  };
  phone(number: string): Phone;
  setRegistered(number: string, registered: boolean): void;
  close(number: string, code: number): void;
  drop(number: string): void;
  stop(): Promise<void>;
  listen(): Promise<void>;
  end(): Promise<void>;
}

const source = fileURLToPath(new URL("../../../../tests/standin/stand_in.ts", import.meta.url));

// Silences libsignal in the stand-in's phones, which prints whole sessions.
for (const name of ["info", "warn", "error"] as const) {
  console[name] = () => {};
}

export async function startStandIn(): Promise<StandIn> {
  const module = (await import(/* @vite-ignore */ source)) as {
    StandIn: { start(): Promise<StandIn> };
  };
  return module.StandIn.start();
}

export function configOf(standIn: StandIn): Record<string, string> {
  return {
    url: standIn.url,
    root_key: standIn.rootKey.toString("hex"),
    ca_file: standIn.rootFile,
  };
}

/// Waits for the first event of that type with those details.
export function event(
  standIn: StandIn,
  type: string,
  details: Record<string, unknown> = {},
  after = 0,
): Promise<Event> {
  const matches = (each: Event): boolean =>
    each.type === type && Object.entries(details).every(([name, value]) => each[name] === value);
  return standIn.events.wait(`${type} ${JSON.stringify(details)}`, matches, after);
}
