// One campaign: its state and why, counts, pace, devices, failures, and its report.
import { Button, Menu, Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "wouter";
import { readCampaign, recipientsAddress } from "../../api/operations.ts";
import type { Campaign, CampaignRecipient } from "../../api/types.ts";
import { useSession } from "../../session/session.tsx";
import { useText, useWords } from "../../texts/index.tsx";
import { type FigureShown, Figures } from "../../ui/figures.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Copy, Facts, Mono, Note } from "../../ui/notes.tsx";
import { Page, Panel, Section } from "../../ui/page.tsx";
import { ProblemNote } from "../../ui/problem_note.tsx";
import { Stale } from "../../ui/stale.tsx";
import { Ago, At } from "../../ui/time.tsx";
import { CampaignProgress, CampaignState, moves } from "./campaign_progress.tsx";
import classes from "./campaigns.module.css";
import { Failures } from "./failures.tsx";

const OFTEN = 2000; // No events announce progress.
const SELDOM = 5000;

export default function CampaignView() {
  const t = useText().campaigns;
  const { id = "" } = useParams<{ id?: string }>();
  const campaign = useQuery({
    queryKey: ["campaign", id],
    queryFn: (context) => readCampaign(id, context),
    refetchInterval: ({ state }) => (state.data && moves(state.data) ? OFTEN : SELDOM),
  });
  const shown = campaign.data;
  return (
    <Page
      title={shown?.name ?? t.title}
      lead={<Link href="/campaigns">{t.back}</Link>}
      actions={shown && <Report id={shown.id} />}
    >
      {shown ? (
        <>
          <Stale error={campaign.error} since={campaign.dataUpdatedAt} />
          <Shown campaign={shown} />
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
        <Failures id={campaign.id} failed={campaign.counts.failed} />
      </Section>
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
        { name: t.devices, value: <Devices numbers={campaign.devices} /> },
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
  return numbers.map((number, place) => (
    <span key={number}>
      {place > 0 && ", "}
      <Link href={`/devices/${number}`}>
        <Mono>{number}</Mono>
      </Link>
    </span>
  ));
}

/** Viewers, who see masked numbers, may not download. */
function Report({ id }: { id: string }) {
  const t = useText().campaigns;
  const { can } = useSession();
  if (!can("campaigns:manage")) return null;
  const item = (state: CampaignRecipient["state"] | "", name: string) => (
    <Menu.Item component="a" href={recipientsAddress(id, state)} download="recipients.csv">
      {name}
    </Menu.Item>
  );
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" leftSection={<Icon name="download" size={16} />}>
          {t.download}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {item("", t.downloadAll)}
        {item("failed", t.downloadFailed)}
        {item("skipped", t.downloadSkipped)}
      </Menu.Dropdown>
    </Menu>
  );
}
