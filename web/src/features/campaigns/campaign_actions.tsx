// What can be done with a campaign that is no draft: the next step as buttons, the rest in a menu.
import { ActionIcon, Button, Menu } from "@mantine/core";
import { useState } from "react";
import { useLocation } from "wouter";
import {
  cancelCampaign,
  changeCampaign,
  cloneCampaign,
  pauseCampaign,
  removeCampaign,
  resumeCampaign,
  retryCampaign,
  startCampaign,
} from "../../api/campaigns.ts";
import type { Campaign } from "../../api/types.ts";
import { useSession } from "../../session/session.tsx";
import { useText } from "../../texts/index.tsx";
import { ConfirmByName } from "../../ui/confirm.tsx";
import { Icon, type IconName } from "../../ui/icon.tsx";
import { useIsShown } from "../../ui/is_shown.ts";
import classes from "../../ui/row_menu.module.css";
import { useAct } from "./act.ts";
import { PaceDialog } from "./pace_dialog.tsx";
import { ReportMenu } from "./report_menu.tsx";

type Asked = "cancel" | "remove" | "pace";

export function CampaignActions({ campaign }: { campaign: Campaign }) {
  const { can } = useSession();
  const [asked, setAsked] = useState<Asked>();
  const close = () => setAsked(undefined);
  // Viewers, who see masked numbers, may not download either.
  if (!can("campaigns:manage")) return null;
  return (
    <>
      <Steps campaign={campaign} ask={setAsked} />
      {campaign.state !== "draft" && <ReportMenu id={campaign.id} />}
      <More campaign={campaign} ask={setAsked} />
      <PaceDialog id={campaign.id} opened={asked === "pace"} onClose={close} />
      <Confirmation campaign={campaign} asked={asked} onClose={close} />
    </>
  );
}

interface PartProps {
  campaign: Campaign;
  ask: (asked: Asked) => void;
}

/** What the state asks for next. */
function Steps({ campaign, ask }: PartProps) {
  const t = useText().campaigns;
  const { id, state } = campaign;
  const { busy, act } = useAct();
  const step = (name: string, icon: IconName, run: () => Promise<unknown>, done: string) => (
    <Button
      key={name}
      loading={busy}
      leftSection={<Icon name={icon} size={16} />}
      onClick={() => void act(run, done)}
    >
      {name}
    </Button>
  );
  const pace = (
    <Button variant="default" onClick={() => ask("pace")}>
      {t.changePace}
    </Button>
  );
  if (state === "running") {
    return [
      step(t.pause, "pause", () => pauseCampaign(id), t.pausedNow),
      <span key="pace">{pace}</span>,
    ];
  }
  if (state === "paused") {
    return [
      step(t.resume, "play", () => resumeCampaign(id), t.resumedNow),
      <span key="pace">{pace}</span>,
    ];
  }
  if (state !== "scheduled") return null;
  const startNow = async () => {
    await changeCampaign(id, { schedule_at: null });
    await startCampaign(id);
  };
  return step(t.startNow, "play", startNow, t.startedNow);
}

function More({ campaign, ask }: PartProps) {
  const t = useText().campaigns;
  const [, go] = useLocation();
  const isShown = useIsShown();
  const { act } = useAct();
  const { id, state, counts } = campaign;
  const ended = state === "finished" || state === "cancelled";
  const copy = (recipients: boolean) =>
    act(async () => {
      const made = await cloneCampaign(id, recipients);
      if (isShown()) go(`/campaigns/${made.id}`);
    }, t.cloned);
  const retry = (scope: "failed" | "uncertain") => () =>
    void act(() => retryCampaign(id, scope), ended ? t.retriedPaused : t.retried);
  const edit = () => void act(() => changeCampaign(id, { schedule_at: null }), t.draftAgain);
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="default" size={36} aria-label={t.more}>
          <Icon name="more" size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {state === "scheduled" && <Menu.Item onClick={edit}>{t.editAgain}</Menu.Item>}
        {counts.failed > 0 && <Menu.Item onClick={retry("failed")}>{t.retryFailed}</Menu.Item>}
        {counts.uncertain > 0 && (
          <Menu.Item onClick={retry("uncertain")}>{t.retryUncertain}</Menu.Item>
        )}
        <Menu.Item onClick={() => void copy(false)}>{t.clone}</Menu.Item>
        <Menu.Item onClick={() => void copy(true)}>{t.cloneAll}</Menu.Item>
        {!ended && state !== "draft" && (
          <Menu.Item className={classes.danger} onClick={() => ask("cancel")}>
            {t.cancel}
          </Menu.Item>
        )}
        {(ended || state === "draft") && (
          <Menu.Item className={classes.danger} onClick={() => ask("remove")}>
            {t.remove}
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

interface ConfirmationProps {
  campaign: Campaign;
  asked: Asked | undefined;
  onClose: () => void;
}

function Confirmation({ campaign, asked, onClose }: ConfirmationProps) {
  const t = useText().campaigns;
  const [, go] = useLocation();
  const isShown = useIsShown();
  const { done } = useAct();
  const isRemoval = asked === "remove";
  const confirm = async () => {
    if (!isRemoval) {
      await cancelCampaign(campaign.id);
      return done(t.cancelledNow);
    }
    await removeCampaign(campaign.id);
    if (isShown()) go("/campaigns");
    return done(t.removed);
  };
  return (
    <ConfirmByName
      title={isRemoval ? t.removeTitle : t.cancelTitle}
      text={isRemoval ? t.removeText : t.cancelText}
      name={campaign.name}
      action={isRemoval ? t.remove : t.cancel}
      opened={asked === "remove" || asked === "cancel"}
      onClose={onClose}
      onConfirm={confirm}
    />
  );
}
