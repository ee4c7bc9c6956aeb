// The account's devices: their state and actions, and linking one to a phone.
import { Button, Group } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { Link, useLocation, useParams } from "wouter";
import type { Device } from "../../api/types.ts";
import { usePollInterval } from "../../live/live.tsx";
import { usePaged } from "../../live/paged.ts";
import { accounts } from "../../queries/accounts.ts";
import { devices as deviceQueries } from "../../queries/devices.ts";
import { useAccountId, useSession } from "../../session/session.tsx";
import { useText, useWords } from "../../texts/index.tsx";
import { type Column, DataTable } from "../../ui/data_table.tsx";
import { DeviceState } from "../../ui/device_state.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Empty, Mono } from "../../ui/notes.tsx";
import { Page } from "../../ui/page.tsx";
import { Ago } from "../../ui/time.tsx";
import { countText } from "../../ui/waiting.ts";
import { COUNTED_EVERY } from "../overview/overview_data.ts";
import { rangeOf } from "../usage/usage_days.ts";
import { AddDevice } from "./add_device.tsx";
import { SimulatedMark } from "./connectors.tsx";
import { DeviceDrawer } from "./device_drawer.tsx";

export default function Devices() {
  const t = useText().devices;
  const account = useAccountId();
  const { can } = useSession();
  const { number } = useParams<{ number?: string }>();
  const [, go] = useLocation();
  const [adding, setAdding] = useDisclosure(false);
  const devices = usePaged(deviceQueries.list(account), { every: COUNTED_EVERY });
  const add = can("devices:manage") && (
    <Button leftSection={<Icon name="plus" size={16} />} onClick={setAdding.open}>
      {t.add}
    </Button>
  );
  const rows = devices.items;
  return (
    <Page title={t.title} lead={t.lead} actions={rows?.length ? add : null}>
      <DataTable
        label={t.title}
        columns={useColumns()}
        rows={rows}
        rowKey={(device) => device.number}
        error={devices.error}
        since={devices.since}
        selected={number}
        onOpen={(device) => go(`/devices/${device.number}`)}
        next={devices.next}
        empty={
          <Empty icon="devices" title={t.empty} text={t.emptyText}>
            {add}
          </Empty>
        }
      />
      <DeviceDrawer
        number={rows && number}
        listed={rows?.find((device) => device.number === number)}
        onClose={() => go("/devices")}
      />
      <AddDevice opened={adding} onClose={setAdding.close} />
    </Page>
  );
}

function useColumns(): Column<Device>[] {
  const { t: texts, format } = useWords();
  const t = texts.devices;
  const pace = usePaceText();
  const sent = useSentToday();
  return [
    {
      key: "number",
      head: t.number,
      narrow: true,
      phone: "title",
      cell: (device) => (
        <Group gap={8} wrap="nowrap">
          <Link href={`/devices/${device.number}`}>
            <Mono>{device.number}</Mono>
          </Link>
          <SimulatedMark device={device} />
        </Group>
      ),
    },
    {
      key: "state",
      head: t.state,
      narrow: true,
      phone: "mark",
      cell: (one) => <DeviceState device={one} />,
    },
    { key: "since", head: t.since, narrow: true, cell: (one) => <Ago time={one.state_since} /> },
    {
      key: "waiting",
      head: t.waitingShort,
      align: "right",
      narrow: true,
      cell: (one) => countText(one, format),
    },
    {
      key: "today",
      head: t.sentToday,
      align: "right",
      narrow: true,
      cell: (one) => format.number(sent.get(one.number) ?? 0),
    },
    { key: "pace", head: t.pace, phone: "bare", cell: pace },
  ];
}

/** How many messages each device has sent since midnight in the reader's time zone. */
function useSentToday(): Map<string, number> {
  const account = useAccountId();
  const range = rangeOf(1, Date.now());
  const usage = useQuery({
    ...accounts.usage({ account, by: "device", ...range }),
    refetchInterval: usePollInterval(),
  });
  return new Map(usage.data?.items.map((row) => [row.device ?? "", row.sent]));
}

export function usePaceText(): (device: Device) => string {
  const { t, format } = useWords();
  return (device) =>
    t.devices.paceText(
      device.gap_ms === 0 ? t.devices.noGap : t.devices.gapOf(format.duration(device.gap_ms)),
      device.per_day_max === null
        ? t.devices.noCap
        : t.devices.perDay(format.number(device.per_day_max)),
    );
}
