// The state of the gateway, for administrators.
import { useQuery } from "@tanstack/react-query";
import { listDevices, readReadiness, readStatus, readUsage } from "../api/operations.ts";
import { useText, useWords } from "../texts/index.tsx";
import { useDeviceStateName } from "../ui/device_state.tsx";
import { Figures } from "../ui/figures.tsx";
import { codeText } from "../ui/message_state.tsx";
import { Facts, Note } from "../ui/notes.tsx";
import { Page, Section } from "../ui/page.tsx";
import { everyItem } from "../ui/paged.ts";
import { ProblemNote } from "../ui/problem_note.tsx";
import { State } from "../ui/state.tsx";
import { At } from "../ui/time.tsx";
import { Log } from "./log.tsx";
import classes from "./overview.module.css";
import { UsageChart } from "./usage_chart.tsx";
import { rangeOf, totalsOf } from "./usage_days.ts";

const EVERY = 10_000; // Polls, because no stream has events of all accounts.
const CHART_DAYS = 30;
const ALL = ""; // All accounts.

function useServer() {
  const status = useQuery({
    queryKey: ["admin", "status"],
    queryFn: readStatus,
    refetchInterval: EVERY,
  });
  const ready = useQuery({
    queryKey: ["admin", "ready"],
    queryFn: readReadiness,
    refetchInterval: EVERY,
  });
  const range = rangeOf(1, Date.now());
  const today = useQuery({
    queryKey: ["usage", ALL, "today", range.since],
    queryFn: () => readUsage({ account: ALL, by: "code", ...range }),
    refetchInterval: EVERY,
  });
  const devices = useQuery({
    queryKey: ["devices", ALL, "all"],
    queryFn: () => everyItem((cursor) => listDevices({ account: ALL, cursor })),
    refetchInterval: EVERY,
  });
  return { status, ready, today, devices };
}

type Served = ReturnType<typeof useServer>;

export default function Server() {
  const t = useText();
  const shown = useServer();
  return (
    <Page title={t.admin.server} lead={t.admin.serverLead}>
      <ProblemNote error={shown.status.error ?? shown.ready.error ?? shown.devices.error} />
      <div className={classes.banners}>
        {shown.ready.data?.troubles.map((one) => (
          <Note key={one.part}>
            {one.part} {one.reason}
          </Note>
        ))}
      </div>
      <Now shown={shown} />
      <div className={classes.traffic}>
        <section className={classes.box}>
          <header>
            <h2>{t.overview.lastDays(`${CHART_DAYS}`)}</h2>
          </header>
          <UsageChart account={ALL} days={CHART_DAYS} height={180} />
        </section>
        <section className={classes.box}>
          <header>
            <h2>{t.admin.health}</h2>
          </header>
          <Health shown={shown} />
        </section>
      </div>
      <Section title={t.admin.log} lead={t.admin.logLead}>
        <Log />
      </Section>
    </Page>
  );
}

function Now({ shown }: { shown: Served }) {
  const { t, format } = useWords();
  const status = shown.status.data;
  const today = shown.today.data && totalsOf(shown.today.data.items);
  const devices = shown.devices.data;
  const up = devices?.filter((one) => one.state === "connected").length ?? 0;
  return (
    <Figures
      figures={[
        { name: t.overview.sentToday, value: today?.sent },
        {
          name: t.overview.failedToday,
          value: today?.failed,
          note: today?.reason && codeText(today.reason.code, t),
        },
        { name: t.admin.waiting, value: status?.messages_waiting },
        {
          name: t.overview.devicesUp,
          value: status && t.overview.ofDevices(format.number(up), format.number(status.devices)),
        },
        { name: t.admin.accountCount, value: status?.accounts },
      ]}
    />
  );
}

function Health({ shown }: { shown: Served }) {
  const { t, format } = useWords();
  const nameOf = useDeviceStateName();
  const isReady = shown.ready.data?.ready;
  const states = new Map<string, number>();
  for (const { state } of shown.devices.data ?? []) {
    states.set(state, (states.get(state) ?? 0) + 1);
  }
  return (
    <Facts
      facts={[
        isReady !== undefined && {
          name: t.admin.state,
          value: (
            <State tone={isReady ? "good" : "bad"}>
              {isReady ? t.admin.ready : t.admin.notReady}
            </State>
          ),
        },
        { name: t.admin.version, value: shown.status.data?.version },
        { name: t.admin.time, value: <At time={shown.status.data?.time} /> },
        ...[...states].map(([state, count]) => ({
          name: `${t.admin.devices}: ${nameOf(state).toLowerCase()}`,
          value: format.number(count),
        })),
      ]}
    />
  );
}
