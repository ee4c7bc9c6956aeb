// What a test wants the platform to do with requests to come.
import type { Fault } from "./errors.ts";

export type Operation =
  | "messages"
  | "media"
  | "number"
  | "templates"
  | "descriptor"
  | "download"
  | "register"
  | "request_code"
  | "verify_code";

export interface Script {
  on?: Operation; // Default: messages.
  from?: string; // Digits of the business's number.
  to?: string;
  type?: string; // Of the message: text, template, …
  times?: number; // Default: 1.
  refuse?: Fault; // The answer.
  report?: Fault; // A webhook of status failed, after an answer of 200 or together with `refuse`.
  statuses?: string[]; // In place of the usual ones; none: the platform stays silent.
  lose?: "request" | "answer"; // The connection ends before the request counts, or after it did.
  hang?: boolean; // Never answers; the request counts.
  raw?: { status: number; body: string; type?: string }; // An answer that is not the platform's.
  redirect?: string; // Where a download is sent.
}

export interface Asked {
  on: Operation;
  from: string;
  to?: string;
  type?: string;
}

export class Scripts {
  private list: Script[] = [];

  add(script: Script): void {
    this.list.push({ ...script });
  }

  clear(): void {
    this.list = [];
  }

  /** The oldest script for this request, which then has one turn less. */
  take(asked: Asked): Script | undefined {
    if (this.list.length === 0) return undefined;
    const found = this.list.find(
      (each) =>
        (each.on ?? "messages") === asked.on &&
        (each.from ?? asked.from) === asked.from &&
        (each.to ?? asked.to) === asked.to &&
        (each.type ?? asked.type) === asked.type,
    );
    if (!found) return undefined;
    found.times = (found.times ?? 1) - 1;
    if (found.times <= 0) this.list = this.list.filter((each) => each !== found);
    return found;
  }
}
