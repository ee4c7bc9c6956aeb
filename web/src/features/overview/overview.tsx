// The state of the account, and on the first visits the next steps.
import { Button, Skeleton } from "@mantine/core";
import { Link, useLocation } from "wouter";
import { useAccountId, useSession } from "../../session/session.tsx";
import { useText, useWords } from "../../texts/index.tsx";
import board from "../../ui/board.module.css";
import { DataTable } from "../../ui/data_table.tsx";
import { isOnline } from "../../ui/device_state.tsx";
import { Figures } from "../../ui/figures.tsx";
import { codeText, MessageState } from "../../ui/message_state.tsx";
import { Empty, Mono } from "../../ui/notes.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { ProblemNote } from "../../ui/problem_note.tsx";
import { Stale } from "../../ui/stale.tsx";
import { Ago } from "../../ui/time.tsx";
import { countText, sumOf } from "../../ui/waiting.ts";
import { UsageChart } from "../usage/usage_chart.tsx";
import { totalsOf } from "../usage/usage_days.ts";
import { Checklist } from "./checklist.tsx";
import { DeviceStrip } from "./device_strip.tsx";
import classes from "./overview.module.css";
import { Banners } from "./overview_banners.tsx";
import { type Overviewed, useOverview } from "./overview_data.ts";

export default function Overview() {
  const { account, accountsError } = useSession();
  if (account) return <AccountOverview key={account.id} />;
  return accountsError ? <AccountsUnknown error={accountsError} /> : <NoAccount />;
}

function AccountsUnknown({ error }: { error: unknown }) {
  return (
    <Page title={useText().overview.title}>
      <ProblemNote error={error} />
    </Page>
  );
}

function NoAccount() {
  const t = useText().overview;
  const { admin } = useSession();
  return (
    <Page title={t.title}>
      <Empty icon="accounts" title={t.noAccount} text={t.noAccountText}>
        {admin && (
          <Button component={Link} href="/accounts">
            {t.noAccountButton}
          </Button>
        )}
      </Empty>
    </Page>
  );
}

function AccountOverview() {
  const t = useText();
  const [, go] = useLocation();
  const shown = useOverview();
  const { account } = useSession();
  const failed = Object.values(shown).find((query) => query.error && query.data);
  return (
    <Page title={t.overview.title} lead={account?.name}>
      {isComing(shown) ? (
        // A placeholder, so that the content below does not move when the data arrive.
        <Skeleton height={102} radius="md" />
      ) : (
        <>
          <Stale error={failed?.error} since={failed?.dataUpdatedAt} />
          <Banners shown={shown} />
          <Checklist shown={shown} />
          <Today shown={shown} />
        </>
      )}
      {shown.messages.data?.items.length !== 0 && <Traffic shown={shown} />}
      {shown.messages.data?.items.length !== 0 && (
        <Section
          title={t.overview.recent}
          actions={
            <Link href="/messages" className={classes.all}>
              {t.overview.allMessages}
            </Link>
          }
        >
          <DataTable
            label={t.overview.recent}
            rows={shown.messages.data?.items}
            rowKey={(one) => one.id}
            error={shown.messages.error}
            onOpen={(one) => go(`/messages/${one.id}`)}
            empty={null}
            columns={[
              {
                key: "when",
                head: t.messages.when,
                narrow: true,
                phone: "bare",
                cell: (one) => <Ago time={one.accepted_at} />,
              },
              {
                key: "to",
                head: t.messages.to,
                narrow: true,
                phone: "title",
                cell: (one) => (
                  <Link href={`/messages/${one.id}`}>
                    <Mono>{one.to}</Mono>
                  </Link>
                ),
              },
              {
                key: "state",
                head: t.messages.state,
                phone: "mark",
                cell: (one) => <MessageState state={one.state} />,
              },
              {
                key: "from",
                head: t.messages.from,
                narrow: true,
                phone: "bare",
                cell: (one) => <Mono>{one.from}</Mono>,
              },
            ]}
          />
        </Section>
      )}
    </Page>
  );
}

function isComing({ messages: _, ...others }: Overviewed): boolean {
  return Object.values(others).some((query) => query.isLoading);
}

function Today({ shown }: { shown: Overviewed }) {
  const { t, format } = useWords();
  const devices = shown.devices.data;
  const up = devices?.items.filter(isOnline).length ?? 0;
  const count = (waiting: number) =>
    countText({ waiting, waiting_more: devices?.more ?? false }, format);
  const today = shown.today.data && totalsOf(shown.today.data.items);
  const reason = today?.reason && (codeText(today.reason, t) || `${today.reason}`);
  return (
    <Figures
      figures={[
        { name: t.overview.sentToday, value: today?.sent },
        { name: t.overview.failedToday, value: today?.failed, note: reason },
        {
          name: t.overview.waiting,
          value: devices && countText(sumOf(devices.items, devices.more), format),
        },
        {
          name: t.overview.devicesUp,
          value: devices && t.overview.ofDevices(count(up), count(devices.items.length)),
        },
        { name: t.overview.credit, value: shown.account.data?.credit },
      ]}
    />
  );
}

const CHART_DAYS = 30;

function Traffic({ shown }: { shown: Overviewed }) {
  const t = useText().overview;
  const account = useAccountId();
  const devices = shown.devices.data?.items ?? [];
  return (
    <div className={board.traffic}>
      <section className={board.box}>
        <header>
          <h2>{t.lastDays(`${CHART_DAYS}`)}</h2>
          <Link href="/usage">{t.allUsage}</Link>
        </header>
        <UsageChart account={account} days={CHART_DAYS} height={180} />
      </section>
      <section className={board.box}>
        <header>
          <h2>{t.devices}</h2>
          <Link href="/devices">{t.allDevices}</Link>
        </header>
        {!shown.devices.data && <ProblemNote error={shown.devices.error} />}
        <DeviceStrip devices={devices} />
      </section>
    </div>
  );
}
