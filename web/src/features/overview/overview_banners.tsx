// Current problems that need attention.
import type { Account, Device } from "../../api/types.ts";
import { useWords, type Words } from "../../texts/index.tsx";
import classes from "../../ui/board.module.css";
import { isPaused } from "../../ui/device_state.tsx";
import { Note } from "../../ui/notes.tsx";
import { countText, sumOf } from "../../ui/waiting.ts";
import type { Overviewed } from "./overview_data.ts";

const DAY = 86_400_000;
const SOON = 14 * DAY;
const LATELY = 3 * DAY;
const SHOWN_MAX = 3; // Receivers, and devices that are restricted.
const DOWN = ["disconnected", "logged_out", "banned", "replaced"];

type Banner = [text: string, href: string];

export function Banners({ shown }: { shown: Overviewed }) {
  const words = useWords();
  const { items: devices, more } = shown.devices.data ?? { items: [], more: false };
  const notes = [
    ...ofAccount(shown.account.data, words),
    ...ofDevices(
      devices.filter((one) => DOWN.includes(one.state)),
      more,
      words.t.overview.down,
      words,
    ),
    ...ofDevices(
      devices.filter((one) => isPaused(one) && !DOWN.includes(one.state)),
      more,
      words.t.overview.paused,
      words,
    ),
    ...ofRestrictions(
      devices.filter((one) => one.state === "restricted"),
      more,
      words,
    ),
    ...ofMessages(shown, words),
    ...ofCallbacks(shown, words),
  ];
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

function ofAccount(account: Account | undefined, { t, format }: Words): Banner[] {
  if (!account) return [];
  const left = account.expires_at ? Date.parse(account.expires_at) - Date.now() : SOON;
  const notes: Banner[] = [];
  if (left <= 0) notes.push([t.overview.expired, "/account"]);
  else if (left < SOON && account.expires_at) {
    notes.push([t.overview.expiresSoon(format.dateTime(account.expires_at)), "/account"]);
  }
  if (account.credit === 0) notes.push([t.overview.creditOut, "/account"]);
  return notes;
}

interface OfDevices {
  one: (number: string) => string;
  more: (count: string) => string;
}

/**
 * One note about all devices with the same problem, and about what waits for them. `more`: other
 * devices may have it too.
 */
function ofDevices(
  devices: Device[],
  more: boolean,
  texts: OfDevices,
  { t, format }: Words,
): Banner[] {
  const [first] = devices;
  if (!first) return [];
  const waiting = sumOf(devices, more);
  const isOnly = devices.length === 1 && !more;
  const count = countText({ waiting: devices.length, waiting_more: more }, format);
  const text = isOnly ? texts.one(first.number) : texts.more(count);
  const theirs = waiting.waiting ? ` ${t.overview.theirMessages(countText(waiting, format))}` : "";
  return [[text + theirs, isOnly ? `/devices/${first.number}` : "/devices"]];
}

/** A note about each, because each restriction has its own end; one note about many. */
function ofRestrictions(devices: Device[], more: boolean, words: Words): Banner[] {
  const texts = words.t.overview.restricted;
  if (more || devices.length > SHOWN_MAX) {
    return ofDevices(devices, more, { ...texts, one: texts.more }, words);
  }
  return devices.flatMap((device) => {
    const until = device.restricted_until ? words.format.dateTime(device.restricted_until) : "…";
    return ofDevices([device], false, { ...texts, one: (n) => texts.one(n, until) }, words);
  });
}

function ofMessages({ held }: Overviewed, { t, format }: Words): Banner[] {
  const waiting = held.data?.items.length ?? 0;
  if (waiting === 0) return [];
  const count = countText({ waiting, waiting_more: held.data?.next != null }, format);
  return [[t.overview.held(count), HELD_MESSAGES]];
}

const HELD_MESSAGES = "/messages?state=held";

function ofCallbacks({ hosts, exhausted }: Overviewed, { t }: Words): Banner[] {
  const silent = (hosts.data?.items ?? []).filter((one) => one.breaker === "open");
  const notes = silent
    .slice(0, SHOWN_MAX)
    .map((one): Banner => [t.overview.hostFails(one.origin), "/callbacks"]);
  const lost = exhausted.data?.items[0];
  if (lost && Date.now() - Date.parse(lost.updated_at) < LATELY) {
    notes.push([t.overview.callbacksFail, "/callbacks?state=exhausted"]);
  }
  return notes;
}
