// Ranges of time that people often search.

export const RANGES = ["today", "yesterday", "week", "month"] as const;
export type RangeName = (typeof RANGES)[number];

/** The range in the reader's time zone, up to now; of yesterday up to its last second. */
export function rangeNamed(name: RangeName, now: number): { since: string; until: string } {
  const at = new Date(now);
  const midnight = (days: number) =>
    new Date(at.getFullYear(), at.getMonth(), at.getDate() + days).toISOString();
  switch (name) {
    case "today":
      return { since: midnight(0), until: "" };
    case "yesterday":
      return {
        since: midnight(-1),
        until: new Date(Date.parse(midnight(0)) - 1000).toISOString(),
      };
    case "week":
      return { since: midnight(-6), until: "" };
    case "month":
      return { since: midnight(1 - at.getDate()), until: "" };
  }
}
