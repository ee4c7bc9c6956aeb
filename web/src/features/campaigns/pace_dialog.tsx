// Pace and devices of a campaign that runs, is paused or waits.
import { NumberInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { changeCampaign, readCampaign } from "../../api/campaigns.ts";
import type { Tagged } from "../../api/client.ts";
import type { Campaign } from "../../api/types.ts";
import { campaigns } from "../../queries/campaigns.ts";
import { useText } from "../../texts/index.tsx";
import { FormDialog } from "../../ui/dialog.tsx";
import { useEdited } from "../../ui/edited.ts";
import { useRefresh } from "../../ui/refresh.ts";
import { DevicesField } from "./devices_field.tsx";

interface PaceDialogProps {
  id: string;
  opened: boolean;
  onClose: () => void;
}

export function PaceDialog({ id, opened, onClose }: PaceDialogProps) {
  const campaign = useQuery(campaigns.one(id)).data;
  if (!opened || !campaign) return null;
  return <PaceForm campaign={campaign} onClose={onClose} />;
}

interface PaceFormProps {
  campaign: Tagged<Campaign>;
  onClose: () => void;
}

function PaceForm({ campaign, onClose }: PaceFormProps) {
  const t = useText().campaigns;
  const { draft, set, saveAndClose } = useEdited({
    stored: campaign,
    draftOf: ({ pace, devices }) => ({
      rate: (pace?.per_minute ?? "") as number | string,
      devices,
    }),
    save: ({ rate, devices }, { tag }) => {
      const pace = rate === "" ? null : { per_minute: Number(rate) };
      return changeCampaign(campaign.id, { pace, devices }, tag);
    },
    read: () => readCampaign(campaign.id),
    refresh: useRefresh("campaign", "campaigns"),
    saved: t.paceChanged,
  });
  return (
    <FormDialog
      title={t.changePace}
      opened
      onClose={onClose}
      action={t.change}
      onSubmit={saveAndClose}
      disabled={draft.devices.length === 0}
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
            value={draft.rate}
            onChange={(rate) => set({ rate })}
            hideControls
            data-autofocus
          />
          <DevicesField
            value={draft.devices}
            onChange={(devices) => set({ devices })}
            error={problemOf("devices")}
          />
        </>
      )}
    </FormDialog>
  );
}
