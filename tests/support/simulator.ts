// The simulator's log of the messages that reached it.
import { existsSync, readFileSync } from "node:fs";
import { waitFor } from "./wait.ts";

export interface Attempt {
  time: string;
  from: string;
  to: string;
  type: string;
  body: string;
  media: null | { url: string; mime: string; bytes: number; sha256: string };
  typing: boolean;
  messageid: string;
  attempt: number;
  result: "sent" | "retry" | "failed";
  code: number;
}

export class SimulatorLog {
  readonly file: string;

  constructor(file: string) {
    this.file = file;
  }

  /** All attempts so far, without a line that is still being written. */
  all(): Attempt[] {
    if (!existsSync(this.file)) return [];
    const text = readFileSync(this.file, "utf8");
    return text
      .slice(0, text.lastIndexOf("\n") + 1)
      .split("\n")
      .flatMap((line) => {
        try {
          return line ? [JSON.parse(line) as Attempt] : [];
        } catch {
          return []; // Incomplete because of a kill.
        }
      });
  }

  of(body: string): Attempt[] {
    return this.all().filter((attempt) => attempt.body === body);
  }

  /** The attempts for a recipient. Every test has new ones, so this finds textless messages. */
  to(recipient: string): Attempt[] {
    return this.all().filter((attempt) => attempt.to === recipient);
  }

  async attemptTo(recipient: string, deadline = 15_000): Promise<Attempt> {
    return waitFor(`an attempt to ${recipient}`, () => this.to(recipient)[0], deadline);
  }

  /** Waits for `count` attempts with this text. */
  async attempts(body: string, count = 1, deadline = 15_000): Promise<Attempt[]> {
    return waitFor(
      `${count} attempts of "${body}"`,
      () => {
        const found = this.of(body);
        return found.length >= count ? found : undefined;
      },
      deadline,
    );
  }

  async attempt(body: string, deadline = 15_000): Promise<Attempt> {
    return (await this.attempts(body, 1, deadline))[0]!;
  }
}
