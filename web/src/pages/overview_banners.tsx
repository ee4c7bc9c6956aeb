// Current problems that need attention.
import { useWords } from "../texts/index.tsx";
import { Note } from "../ui/notes.tsx";
import classes from "./overview.module.css";
import type { Overviewed } from "./overview_data.ts";

const DAY = 86_400_000;
const SOON = 14 * DAY;
const LATELY = 3 * DAY;
const SHOWN_MAX = 3; // Receivers.
const DOWN = ["disconnected", "logged_out", "banned", "replaced"];

export function Banners({ shown }: { shown: Overviewed }) {
  const { t, format } = useWords();
  const account = shown.account.data;
  const now = Date.now();
  const left = account?.expires_at ? new Date(account.expires_at).getTime() - now : SOON;
  const down = (shown.devices.data ?? []).filter((one) => DOWN.includes(one.state));
  const silent = (shown.hosts.data?.items ?? []).filter((one) => one.breaker === "open");
  const lost = shown.exhausted.data?.items[0];
  const notes: [string, string][] = [];
  if (left <= 0) notes.push([t.overview.expired, "/account"]);
  else if (left < SOON && account?.expires_at) {
    notes.push([t.overview.expiresSoon(format.dateTime(account.expires_at)), "/account"]);
  }
  if (account?.credit === 0) notes.push([t.overview.creditOut, "/account"]);
  const [first] = down;
  if (first) {
    const waiting = down.reduce((sum, one) => sum + (one.waiting ?? 0), 0);
    const one = down.length === 1;
    const text = one
      ? t.overview.deviceDown(first.number)
      : t.overview.devicesDown(format.number(down.length));
    const theirs = waiting > 0 ? ` ${t.overview.theirMessages(format.number(waiting))}` : "";
    notes.push([text + theirs, one ? `/devices/${first.number}` : "/devices"]);
  }
  for (const one of silent.slice(0, SHOWN_MAX)) {
    notes.push([t.overview.hostFails(one.origin), "/callbacks"]);
  }
  if (lost && now - new Date(lost.updated_at).getTime() < LATELY) {
    notes.push([t.overview.callbacksFail, "/callbacks?state=exhausted"]);
  }
  return (
    <div className={classes.banners}>
      {notes.map(([text, href]) => (
        <Note key={text} href={href}>
          {text}
        </Note>
      ))}
    </div>
  );
}
