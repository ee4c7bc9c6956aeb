// One campaign: a draft is prepared; of others, the state and why, counts, failures, devices and
// recipients are shown.
import { Select, Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useParams } from "wouter";
import type { Campaign, CampaignRecipient } from "../../api/types.ts";
import { useIsLive } from "../../live/live.tsx";
import { campaigns } from "../../queries/campaigns.ts";
import { useSession } from "../../session/session.tsx";
import { useText, useWords } from "../../texts/index.tsx";
import { DeviceState } from "../../ui/device_state.tsx";
import { type FigureShown, Figures } from "../../ui/figures.tsx";
import { Copy, Facts, Mono, Note } from "../../ui/notes.tsx";
import { Page, Panel, Section } from "../../ui/page.tsx";
import { ProblemNote } from "../../ui/problem_note.tsx";
import { Stale } from "../../ui/stale.tsx";
import { Ago, At } from "../../ui/time.tsx";
import { useAllDevices } from "../devices/all_devices.ts";
import { CampaignActions } from "./campaign_actions.tsx";
import { CampaignProgress, CampaignState, moves } from "./campaign_progress.tsx";
import classes from "./campaigns.module.css";
import { Draft } from "./draft/draft.tsx";
import { Failures } from "./failures.tsx";
import { RecipientsTable } from "./recipients_table.tsx";

// Events announce counts and states, but neither the rate, nor the expected end, nor what another
// person changes in a draft.
const RATE_EVERY = 5000;
const OFTEN = 2000; // Without events.
const SELDOM = 30_000;

export default function CampaignView() {
  const t = useText().campaigns;
  const { id = "" } = useParams<{ id?: string }>();
  const { can } = useSession();
  const often = useIsLive() ? RATE_EVERY : OFTEN;
  const campaign = useQuery({
    ...campaigns.one(id),
    refetchInterval: ({ state: { data } }) =>
      data && (moves(data) || data.state === "draft") ? often : SELDOM,
  });
  const shown = campaign.data;
  return (
    <Page
      title={shown?.name ?? t.title}
      lead={<Link href="/campaigns">{t.back}</Link>}
      actions={shown && <CampaignActions campaign={shown} />}
    >
      {shown ? (
        <>
          <Stale error={campaign.error} since={campaign.dataUpdatedAt} />
          {shown.state === "draft" && can("campaigns:manage") ? (
            <Draft campaign={shown} />
          ) : (
            <Shown campaign={shown} />
          )}
        </>
      ) : campaign.error ? (
        <ProblemNote error={campaign.error} />
      ) : (
        <Skeleton height={220} />
      )}
    </Page>
  );
}

function Shown({ campaign }: { campaign: Campaign }) {
  const t = useText().campaigns;
  return (
    <>
      <div className={classes.head}>
        <CampaignState state={campaign.state} />
        {campaign.reason && <Reason campaign={campaign} reason={campaign.reason} />}
      </div>
      <div className={classes.overall}>
        <CampaignProgress campaign={campaign} />
      </div>
      <Counts campaign={campaign} />
      <Section title={t.why}>
        <Failures campaign={campaign} />
      </Section>
      <Devices numbers={campaign.devices} />
      <Recipients campaign={campaign} />
      <Section title={t.facts}>
        <Panel>
          <CampaignFacts campaign={campaign} />
        </Panel>
      </Section>
    </>
  );
}

type ReasonOf = NonNullable<Campaign["reason"]>;

function Reason({ campaign, reason }: { campaign: Campaign; reason: ReasonOf }) {
  const { t, format } = useWords();
  const until = campaign.until && t.campaigns.until(format.clock(campaign.until));
  return (
    <Note calm={campaign.state === "running"}>
      {t.campaigns.reasons[reason]} {until}
    </Note>
  );
}

function Counts({ campaign }: { campaign: Campaign }) {
  const { t: texts, format } = useWords();
  const t = texts.campaigns;
  const { counts, rate_per_minute: rate } = campaign;
  const arrived = t.arrived(format.number(counts.delivered), format.number(counts.read));
  const figures: FigureShown[] = [
    { name: t.left, value: counts.pending + counts.queued },
    { name: t.sent, value: counts.sent, note: counts.delivered > 0 && arrived },
    { name: t.failed, value: counts.failed, bad: counts.failed > 0 },
    { name: t.skipped, value: counts.skipped },
  ];
  if (counts.uncertain > 0) figures.push({ name: t.uncertain, value: counts.uncertain, bad: true });
  if (counts.cancelled > 0) figures.push({ name: t.cancelled, value: counts.cancelled });
  if (rate !== null) {
    const perMinute = format.number(Math.round(rate * 10) / 10);
    figures.push({ name: t.perMinute, value: t.perMinuteValue(perMinute) });
  }
  return <Figures figures={figures} />;
}

function CampaignFacts({ campaign }: { campaign: Campaign }) {
  const t = useText().campaigns;
  const at = (name: string, time: string | null) =>
    time !== null && { name, value: <At time={time} /> };
  return (
    <Facts
      facts={[
        { name: t.total, value: campaign.counts.total },
        campaign.ends_at !== null && {
          name: t.ends,
          value: <Ago time={campaign.ends_at} planned />,
        },
        at(t.scheduled, campaign.schedule_at),
        { name: t.created, value: <At time={campaign.created_at} /> },
        at(t.started, campaign.started_at),
        at(t.finished, campaign.finished_at),
        campaign.template !== null && {
          name: t.template,
          value: `${campaign.template.name} (${campaign.template.language})`,
        },
        { name: t.paceLabel, value: campaign.pace?.per_minute ?? t.paceNone },
        {
          name: t.campaignId,
          value: (
            <>
              <Mono>{campaign.id}</Mono> <Copy value={campaign.id} />
            </>
          ),
        },
      ]}
    />
  );
}

function Devices({ numbers }: { numbers: string[] }) {
  const t = useText().campaigns;
  const known = useAllDevices().data?.items ?? [];
  return (
    <Section title={t.devices}>
      <ul className={classes.devices}>
        {numbers.map((number) => {
          const device = known.find((one) => one.number === number);
          return (
            <li key={number}>
              <Link href={`/devices/${number}`}>
                <Mono>{number}</Mono>
              </Link>
              {device && <DeviceState device={device} />}
            </li>
          );
        })}
      </ul>
    </Section>
  );
}

function Recipients({ campaign }: { campaign: Campaign }) {
  const t = useText().campaigns;
  const [state, setState] = useState<CampaignRecipient["state"] | "">("");
  const states = Object.entries(t.recipientStates).map(([value, label]) => ({ value, label }));
  return (
    <Section
      title={t.total}
      actions={
        <Select
          aria-label={t.state}
          placeholder={t.anyState}
          data={states}
          value={state || null}
          onChange={(value) => setState((value ?? "") as typeof state)}
          clearable
          size="xs"
        />
      }
    >
      <RecipientsTable
        id={campaign.id}
        state={state}
        label={t.total}
        // No event tells that the last queued message of a paused one was decided.
        every={moves(campaign) || campaign.state === "paused" ? RATE_EVERY : undefined}
      />
    </Section>
  );
}
