// A short list of the account's devices: first those that need attention, then those with a queue.
import { Link } from "wouter";
import type { Device } from "../../api/types.ts";
import { useWords } from "../../texts/index.tsx";
import { DeviceState, isOnline, isPaused } from "../../ui/device_state.tsx";
import { Mono } from "../../ui/notes.tsx";
import { countText } from "../../ui/waiting.ts";
import { SimulatedMark } from "../devices/connectors.tsx";
import classes from "./overview.module.css";

const SHOWN_MAX = 6;

function byNeed(a: Device, b: Device): number {
  const up = (one: Device) => Number(isOnline(one) && !isPaused(one));
  return up(a) - up(b) || (b.waiting ?? 0) - (a.waiting ?? 0);
}

export function DeviceStrip({ devices }: { devices: Device[] }) {
  const { t, format } = useWords();
  return (
    <ul className={classes.strip}>
      {[...devices]
        .sort(byNeed)
        .slice(0, SHOWN_MAX)
        .map((device) => (
          <li key={device.number}>
            <Link href={`/devices/${device.number}`}>
              <Mono>{device.number}</Mono>
            </Link>
            <SimulatedMark device={device} />
            <DeviceState device={device} />
            <span className={classes.queued}>
              {device.waiting ? t.overview.queued(countText(device, format)) : ""}
            </span>
          </li>
        ))}
    </ul>
  );
}
