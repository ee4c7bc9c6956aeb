// Sent and failed messages by day, device and code.
import { Button, Group, SegmentedControl } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { usageAddress } from "../../api/accounts.ts";
import type { UsageRow } from "../../api/types.ts";
import { accounts } from "../../queries/accounts.ts";
import { useAccountId } from "../../session/session.tsx";
import { useText, useWords } from "../../texts/index.tsx";
import { type Column, DataTable } from "../../ui/data_table.tsx";
import { Icon } from "../../ui/icon.tsx";
import { codeText } from "../../ui/message_state.tsx";
import { Empty, Mono } from "../../ui/notes.tsx";
import { Page, Panel, Section } from "../../ui/page.tsx";
import { useFilters } from "../../ui/url_state.ts";
import { USAGE_EVERY, UsageChart, useDailyUsage } from "./usage_chart.tsx";
import { daysOfMonth, rangeOf } from "./usage_days.ts";

const RANGES = ["7", "month", "30", "90"] as const;
const FILTERS = ["days"] as const;

export default function Usage() {
  const t = useText().usage;
  const account = useAccountId();
  const { filters, set } = useFilters(FILTERS);
  const chosen = RANGES.find((range) => range === filters.days) ?? "30";
  const days = chosen === "month" ? daysOfMonth(Date.now()) : Number(chosen);
  const range = rangeOf(days, Date.now());
  const usage = useDailyUsage(account, days);
  return (
    <Page
      title={t.title}
      lead={t.lead}
      actions={
        <Group gap="sm">
          <SegmentedControl
            aria-label={t.range}
            size="xs"
            value={chosen}
            onChange={(value) => set({ days: value })}
            data={RANGES.map((value) => ({
              value,
              label: value === "month" ? t.month : t.days(value),
            }))}
          />
          <Button
            component="a"
            variant="default"
            href={usageAddress({ account, by: "day,device,code", ...range })}
            download="usage.csv"
            leftSection={<Icon name="download" size={16} />}
          >
            CSV
          </Button>
        </Group>
      }
    >
      {usage.data?.items.length === 0 ? (
        <Empty icon="usage" title={t.empty} text={t.emptyText} />
      ) : (
        <>
          <Panel>
            <UsageChart account={account} days={days} />
          </Panel>
          <Groups account={account} range={range} />
        </>
      )}
    </Page>
  );
}

interface GroupsProps {
  account: string;
  range: { since: string; offset: string };
}

/** Sent and failed messages by device, and by the platform's code. */
function Groups({ account, range }: GroupsProps) {
  const { t } = useWords();
  const refetchInterval = USAGE_EVERY;
  const devices = useQuery({
    ...accounts.usage({ account, by: "device", ...range }),
    refetchInterval,
  });
  const codes = useQuery({ ...accounts.usage({ account, by: "code", ...range }), refetchInterval });
  return (
    <>
      <Section title={t.usage.byDevice}>
        <DataTable
          label={t.usage.byDevice}
          columns={useCounts("device", t.messages.from, (row) => <Mono>{row.device ?? ""}</Mono>)}
          rows={devices.data?.items}
          rowKey={(row) => row.device ?? ""}
          error={devices.error}
          empty={null}
        />
      </Section>
      <Section title={t.usage.byCode}>
        <DataTable
          label={t.usage.byCode}
          columns={useCounts("code", t.messages.code, (row) =>
            `${row.code ?? ""} ${codeText(row.code, t)}`.trim(),
          )}
          rows={codes.data?.items}
          rowKey={(row) => `${row.code}`}
          error={codes.error}
          empty={null}
        />
      </Section>
    </>
  );
}

function useCounts(key: string, head: string, cell: Column<UsageRow>["cell"]): Column<UsageRow>[] {
  const { t, format } = useWords();
  const count = (name: "sent" | "failed" | "cancelled"): Column<UsageRow> => ({
    key: name,
    head: t.messages.states[name],
    align: "right",
    narrow: true,
    cell: (row) => format.number(row[name]),
  });
  return [{ key, head, phone: "title", cell }, count("sent"), count("failed"), count("cancelled")];
}
