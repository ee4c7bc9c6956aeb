// Creates a draft with its first fields.
import { SegmentedControl, TextInput } from "@mantine/core";
import { useState } from "react";
import { useLocation } from "wouter";
import { createCampaign } from "../../api/campaigns.ts";
import type { NewCampaign } from "../../api/types.ts";
import { useAccountId } from "../../session/session.tsx";
import { useText } from "../../texts/index.tsx";
import { FormDialog } from "../../ui/dialog.tsx";
import { useIsShown } from "../../ui/is_shown.ts";
import { Note, Quiet } from "../../ui/notes.tsx";
import { randomKey } from "../../ui/random_key.ts";
import { useRefresh } from "../../ui/refresh.ts";
import { useAllDevices } from "../devices/all_devices.ts";
import { firstSender } from "../send/send.tsx";
import { DevicesField } from "./devices_field.tsx";

type Purpose = NonNullable<NewCampaign["purpose"]>;

interface NewCampaignProps {
  opened: boolean;
  onClose: () => void;
}

export function NewCampaignDialog({ opened, onClose }: NewCampaignProps) {
  return opened ? <Form onClose={onClose} /> : null;
}

function Form({ onClose }: { onClose: () => void }) {
  const texts = useText();
  const t = texts.draft;
  const account = useAccountId();
  const [, go] = useLocation();
  const isShown = useIsShown();
  const changed = useRefresh("campaigns");
  const devices = useAllDevices().data?.items ?? [];
  const [key] = useState(randomKey); // A repeat creates no second draft.
  const [name, setName] = useState("");
  const [purpose, setPurpose] = useState<Purpose>("marketing");
  const [chosen, setChosen] = useState<string[]>();
  const first = firstSender(devices)?.number;
  const numbers = chosen ?? (first ? [first] : []);
  const create = async () => {
    const body = { account, name: name.trim(), purpose, devices: numbers };
    const { id } = await createCampaign(body, key);
    await changed();
    if (isShown()) go(`/campaigns/${id}`);
  };
  return (
    <FormDialog
      title={t.create}
      opened
      onClose={onClose}
      action={t.create}
      onSubmit={create}
      disabled={name.trim() === "" || numbers.length === 0}
    >
      {(problemOf) => (
        <>
          <Quiet>{t.createText}</Quiet>
          <TextInput
            label={t.name}
            description={t.nameHint}
            error={problemOf("name")}
            maxLength={200}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            data-autofocus
          />
          <SegmentedControl
            aria-label={t.purpose}
            value={purpose}
            onChange={(value) => setPurpose(value as Purpose)}
            data={Object.entries(texts.draft.purposes).map(([value, label]) => ({ value, label }))}
          />
          {devices.length > 0 ? (
            <DevicesField value={numbers} onChange={setChosen} error={problemOf("devices")} />
          ) : (
            <Note href="/devices">{texts.send.noDeviceText}</Note>
          )}
        </>
      )}
    </FormDialog>
  );
}
