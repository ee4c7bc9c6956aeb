// A relative time, with the exact time as its tooltip.
import { useSyncExternalStore } from "react";
import { useWords } from "../texts/index.tsx";

let now = Date.now();
const listeners = new Set<() => void>();

// One timer for all times on the page; none if the page shows no time.
function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (listeners.size === 1) {
    timer = setInterval(tick, 10_000);
    now = Date.now(); // Nothing has moved it while the page showed no time.
  }
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) clearInterval(timer);
  };
}
let timer: ReturnType<typeof setInterval> | undefined;

function tick(): void {
  now = Date.now();
  for (const listener of listeners) listener();
}

interface AgoProps {
  time: string | null | undefined;
  /** The time may be in the future. Others only seem to be, when the clocks differ. */
  planned?: boolean;
}

export function Ago({ time, planned = false }: AgoProps) {
  const { t, format } = useWords();
  const ticked = useSyncExternalStore(subscribe, () => now);
  if (!time) return <>{t.common.none}</>;
  const instant = new Date(time).getTime();
  // The timer is late after the machine has slept, and behind what has happened since its tick.
  const present = Math.max(ticked, Date.now());
  const current = planned ? present : Math.max(present, instant);
  const recent = Math.abs(instant - current) < 10_000;
  return (
    // Not a Tooltip: lists have dozens of times, and render twice a second under load.
    <time dateTime={time} title={format.dateTime(time)}>
      {recent ? t.common.justNow : format.ago(time, current)}
    </time>
  );
}

export function At({ time }: { time: string | null | undefined }) {
  const { t, format } = useWords();
  return time ? <time dateTime={time}>{format.dateTime(time)}</time> : t.common.none;
}
