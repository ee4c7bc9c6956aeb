// The state of the gateway, for administrators.
import { useQuery } from "@tanstack/react-query";
import { pollOfAll } from "../../live/paged.ts";
import { accounts } from "../../queries/accounts.ts";
import { devices as deviceQueries } from "../../queries/devices.ts";
import { server } from "../../queries/server.ts";
import { useWords } from "../../texts/index.tsx";
import { troubleText } from "../../texts/troubles.ts";
import classes from "../../ui/board.module.css";
import { isOnline, useDeviceStateName } from "../../ui/device_state.tsx";
import { Figures } from "../../ui/figures.tsx";
import { codeText } from "../../ui/message_state.tsx";
import { Facts, Note } from "../../ui/notes.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { ProblemNote } from "../../ui/problem_note.tsx";
import { Stale } from "../../ui/stale.tsx";
import { State } from "../../ui/state.tsx";
import { At } from "../../ui/time.tsx";
import { countText } from "../../ui/waiting.ts";
import { UsageChart } from "../usage/usage_chart.tsx";
import { rangeOf, totalsOf } from "../usage/usage_days.ts";
import { Log } from "./log.tsx";
import { Nodes, nodesToShow } from "./nodes.tsx";

const EVERY = 10_000; // Polls, because no stream has events of all accounts.
const CHART_DAYS = 30;
const ALL = ""; // All accounts.

function useServer() {
  const status = useQuery({ ...server.status(), refetchInterval: EVERY });
  const ready = useQuery({ ...server.readiness(), refetchInterval: EVERY });
  const range = rangeOf(1, Date.now());
  const today = useQuery({
    ...accounts.usage({ account: ALL, by: "code", ...range }),
    refetchInterval: EVERY,
  });
  const devices = useQuery({
    ...deviceQueries.every(ALL),
    refetchInterval: pollOfAll(EVERY),
  });
  const nodes = useQuery({ ...server.nodes(), refetchInterval: EVERY });
  return { status, ready, today, devices, nodes };
}

type Served = ReturnType<typeof useServer>;

export default function Server() {
  const { t, language } = useWords();
  const shown = useServer();
  const nodes = nodesToShow(shown.nodes.data?.items ?? []);
  const failed = Object.values(shown).find((query) => query.error && query.data);
  return (
    <Page title={t.admin.server} lead={t.admin.serverLead}>
      {Object.values(shown).map((query) =>
        query.data ? null : <ProblemNote key={query.errorUpdatedAt} error={query.error} />,
      )}
      <Stale error={failed?.error} since={failed?.dataUpdatedAt} />
      <div className={classes.banners}>
        {shown.ready.data?.troubles.map((one) => (
          <Note key={one.part}>{troubleText(one, language)}</Note>
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
      {nodes.length > 0 && (
        <Section title={t.admin.nodes} lead={t.admin.nodesLead}>
          <Nodes nodes={nodes} />
        </Section>
      )}
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
  const up = devices?.items.filter(isOnline).length ?? 0;
  const upText = countText({ waiting: up, waiting_more: devices?.more ?? false }, format);
  return (
    <Figures
      figures={[
        { name: t.overview.sentToday, value: today?.sent },
        {
          name: t.overview.failedToday,
          value: today?.failed,
          note: today?.reason && codeText(today.reason, t),
        },
        {
          name: t.admin.waiting,
          value:
            status &&
            countText(
              { waiting: status.messages_waiting, waiting_more: status.messages_waiting_more },
              format,
            ),
        },
        {
          name: t.overview.devicesUp,
          value: status && t.overview.ofDevices(upText, format.number(status.devices)),
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
  for (const { state } of shown.devices.data?.items ?? []) {
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
          value: countText(
            { waiting: count, waiting_more: shown.devices.data?.more ?? false },
            format,
          ),
        })),
      ]}
    />
  );
}
