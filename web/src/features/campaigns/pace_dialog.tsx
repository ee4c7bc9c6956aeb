// Pace and devices of a campaign that runs, is paused or waits.
import { NumberInput } from "@mantine/core";
import { useState } from "react";
import { changeCampaign } from "../../api/campaigns.ts";
import type { Campaign } from "../../api/types.ts";
import { useText } from "../../texts/index.tsx";
import { FormDialog } from "../../ui/dialog.tsx";
import { useAct } from "./act.ts";
import { DevicesField } from "./devices_field.tsx";

interface PaceDialogProps {
  campaign: Campaign;
  opened: boolean;
  onClose: () => void;
}

export function PaceDialog({ campaign, opened, onClose }: PaceDialogProps) {
  // A new form each time, with the present values.
  return opened ? <PaceForm campaign={campaign} onClose={onClose} /> : null;
}

function PaceForm({ campaign, onClose }: Omit<PaceDialogProps, "opened">) {
  const t = useText().campaigns;
  const { done } = useAct();
  const [rate, setRate] = useState<number | string>(campaign.pace?.per_minute ?? "");
  const [devices, setDevices] = useState(campaign.devices);
  const save = async () => {
    const pace = rate === "" ? null : { per_minute: Number(rate) };
    await changeCampaign(campaign.id, { pace, devices });
    await done(t.paceChanged);
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
