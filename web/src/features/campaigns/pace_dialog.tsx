// Pace and devices of a campaign that runs, is paused or waits.
import { NumberInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { changeCampaign } from "../../api/campaigns.ts";
import type { Tagged } from "../../api/client.ts";
import type { Campaign, CampaignChange } from "../../api/types.ts";
import { campaigns } from "../../queries/campaigns.ts";
import { useText } from "../../texts/index.tsx";
import { FormDialog } from "../../ui/dialog.tsx";
import { type Edition, useEdition } from "../../ui/edition.ts";
import { useRefresh } from "../../ui/refresh.ts";
import { DevicesField } from "./devices_field.tsx";

interface PaceDialogProps {
  id: string;
  opened: boolean;
  onClose: () => void;
}

export function PaceDialog({ id, opened, onClose }: PaceDialogProps) {
  const campaign = useQuery(campaigns.one(id)).data;
  const edition = useEdition({
    save: (tag, change: CampaignChange) => changeCampaign(id, change, tag),
    reload: useRefresh("campaign", "campaigns"),
    saved: useText().campaigns.paceChanged,
  });
  if (!opened || !campaign) return null;
  return <PaceForm key={edition.round} campaign={campaign} edition={edition} onClose={onClose} />;
}

interface PaceFormProps {
  campaign: Tagged<Campaign>;
  edition: Edition<CampaignChange>;
  onClose: () => void;
}

function PaceForm({ campaign, edition, onClose }: PaceFormProps) {
  const t = useText().campaigns;
  const [tag] = useState(campaign.tag);
  const [rate, setRate] = useState<number | string>(campaign.pace?.per_minute ?? "");
  const [devices, setDevices] = useState(campaign.devices);
  const save = () => {
    const pace = rate === "" ? null : { per_minute: Number(rate) };
    return edition.saved({ tag, change: { pace, devices } });
  };
  return (
    <FormDialog
      title={t.changePace}
      opened
      onClose={onClose}
      action={t.change}
      onSubmit={save}
      disabled={devices.length === 0}
    >
      {(problemOf) => (
        <>
          <NumberInput
            label={t.paceLabel}
            description={t.paceHint}
            error={problemOf("pace.per_minute")}
            placeholder={t.paceNone}
            min={1}
            max={1_000_000}
            allowDecimal={false}
            value={rate}
            onChange={setRate}
            hideControls
            data-autofocus
          />
          <DevicesField value={devices} onChange={setDevices} error={problemOf("devices")} />
        </>
      )}
    </FormDialog>
  );
}
