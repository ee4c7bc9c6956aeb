// Counts of waiting messages. The gateway counts long queues only in part.
import type { Format } from "../texts/format.ts";

export interface Counted {
  waiting?: number;
  waiting_more?: boolean;
}

/** The sum of the counts; undefined if none was counted. `more`: there are other queues. */
export function sumOf(queues: readonly Counted[], more = false): Counted {
  const counted = queues.filter((one) => one.waiting !== undefined);
  if (counted.length === 0) return {};
  return {
    waiting: counted.reduce((sum, one) => sum + (one.waiting ?? 0), 0),
    waiting_more: more || counted.some((one) => one.waiting_more),
  };
}

/** "10,000+" if there are more than were counted. */
export function countText({ waiting = 0, waiting_more }: Counted, format: Format): string {
  return format.number(waiting) + (waiting_more ? "+" : "");
}
