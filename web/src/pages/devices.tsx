// The account's devices: their state and actions, and linking one to a phone.
import { Button, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useLocation, useParams } from "wouter";
import { addDevice, listDevices, readUsage } from "../api/operations.ts";
import type { Device } from "../api/types.ts";
import { useAccountId, useSession } from "../session/session.tsx";
import { useText, useWords } from "../texts/index.tsx";
import { type Column, DataTable } from "../ui/data_table.tsx";
import { DeviceState } from "../ui/device_state.tsx";
import { FormDialog } from "../ui/dialog.tsx";
import { Icon } from "../ui/icon.tsx";
import { Empty, Mono } from "../ui/notes.tsx";
import { Page } from "../ui/page.tsx";
import { PAGE, usePaged } from "../ui/paged.ts";
import { useRefresh } from "../ui/refresh.ts";
import { Ago } from "../ui/time.tsx";
import { DeviceDrawer } from "./device_drawer.tsx";
import { rangeOf } from "./usage_days.ts";

export default function Devices() {
  const t = useText().devices;
  const account = useAccountId();
  const { can } = useSession();
  const { number } = useParams<{ number?: string }>();
  const [, go] = useLocation();
  const [adding, setAdding] = useDisclosure(false);
  const devices = usePaged(["devices", account, "paged"], (cursor) =>
    listDevices({ account, count: true, limit: PAGE, cursor }),
  );
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
        <Link href={`/devices/${device.number}`}>
          <Mono>{device.number}</Mono>
        </Link>
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
      cell: (one) => format.number(one.waiting ?? 0),
    },
    {
      key: "today",
      head: t.sentToday,
      align: "right",
      narrow: true,
      cell: (one) => format.number(sent.get(one.number) ?? 0),
    },
    { key: "pace", head: t.pace, phone: "bare", cell: pace },
    {
      key: "connector",
      head: t.connector,
      narrow: true,
      phone: "hide",
      cell: (one) => one.connector,
    },
  ];
}

/** How many messages each device has sent since midnight in the reader's time zone. */
function useSentToday(): Map<string, number> {
  const account = useAccountId();
  const range = rangeOf(1, Date.now());
  const usage = useQuery({
    queryKey: ["usage", account, "device", "today", range.since],
    queryFn: () => readUsage({ account, by: "device", ...range }),
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

function AddDevice({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const t = useText();
  const account = useAccountId();
  const refresh = useRefresh("devices");
  const [, go] = useLocation();
  const [number, setNumber] = useState("");
  const [webhook, setWebhook] = useState("");
  const submit = async () => {
    const body = { account, number, ...(webhook && { webhook }) };
    const device = await addDevice(body);
    await refresh();
    setNumber("");
    setWebhook("");
    go(`/devices/${device.number}`);
  };
  return (
    <FormDialog
      title={t.devices.add}
      opened={opened}
      onClose={onClose}
      action={t.common.add}
      onSubmit={submit}
    >
      <TextInput
        data-autofocus
        label={t.devices.number}
        description={t.devices.numberHint}
        inputMode="numeric"
        required
        value={number}
        onChange={(event) => setNumber(event.currentTarget.value.replaceAll(/[\s+-]/g, ""))}
      />
      <TextInput
        label={t.devices.webhook}
        description={t.devices.webhookHint}
        type="url"
        value={webhook}
        onChange={(event) => setWebhook(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
