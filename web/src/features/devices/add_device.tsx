// Adds a device: its number, and the connector by which it sends.
import { Radio, Stack, TextInput } from "@mantine/core";
import { useState } from "react";
import { useLocation } from "wouter";
import { addDevice } from "../../api/devices.ts";
import type { Connector } from "../../api/types.ts";
import { useAccountId } from "../../session/session.tsx";
import { useText } from "../../texts/index.tsx";
import { FormDialog } from "../../ui/dialog.tsx";
import { useIsShown } from "../../ui/is_shown.ts";
import { Note } from "../../ui/notes.tsx";
import { phoneNumber } from "../../ui/phone_number.ts";
import { ProblemNote } from "../../ui/problem_note.tsx";
import { useRefresh } from "../../ui/refresh.ts";
import { CLOUD, NO_ACCESS, newAccess } from "./cloud/access.ts";
import { AccessFields } from "./cloud/access_fields.tsx";
import { connectorName, riskOf, useConnectors } from "./connectors.tsx";

interface AddDeviceProps {
  opened: boolean;
  onClose: () => void;
}

export function AddDevice({ opened, onClose }: AddDeviceProps) {
  const t = useText();
  const account = useAccountId();
  const refresh = useRefresh("devices");
  const [, go] = useLocation();
  const isShown = useIsShown();
  const connectors = useConnectors();
  const offered = (connectors.data ?? []).filter((one) => one.may_choose);
  const [number, setNumber] = useState("");
  const [webhook, setWebhook] = useState("");
  const [chosen, setChosen] = useState<string>();
  const [access, setAccess] = useState(NO_ACCESS);
  const connector = offered.find((one) => one.name === chosen) ?? usual(offered);
  const isCloud = connector?.name === CLOUD;
  const close = () => {
    setAccess(NO_ACCESS); // Its secrets do not stay in the page.
    onClose();
  };
  const submit = async () => {
    const device = await addDevice({
      account,
      number: phoneNumber(number),
      ...(connector && { connector: connector.name }),
      ...(isCloud && { cloud: newAccess(access) }),
      ...(webhook && { webhook }),
    });
    await refresh();
    setNumber("");
    setWebhook("");
    if (isShown()) go(`/devices/${device.number}`);
  };
  return (
    <FormDialog
      title={t.devices.add}
      opened={opened}
      onClose={close}
      action={t.common.add}
      onSubmit={submit}
      disabled={connector === undefined}
    >
      {(problemOf) => (
        <>
          <TextInput
            data-autofocus
            label={t.devices.number}
            description={t.devices.numberHint}
            error={problemOf("number")}
            inputMode="tel"
            required
            value={number}
            onChange={(event) => setNumber(event.currentTarget.value)}
          />
          {!connectors.data && <ProblemNote error={connectors.error} />}
          <Choice
            offered={offered}
            chosen={connector}
            onChange={setChosen}
            error={problemOf("connector")}
          />
          {isCloud && (
            <AccessFields isNew access={access} onChange={setAccess} problemOf={problemOf} />
          )}
          <TextInput
            label={t.devices.webhook}
            description={t.devices.webhookHint}
            error={problemOf("webhook")}
            type="url"
            value={webhook}
            onChange={(event) => setWebhook(event.currentTarget.value)}
          />
        </>
      )}
    </FormDialog>
  );
}

/** The one that really sends, if there is only one. Else the person has to choose. */
function usual(offered: Connector[]): Connector | undefined {
  const real = offered.filter((one) => !one.simulated);
  if (real.length === 0) return offered.length === 1 ? offered[0] : undefined;
  return real.length === 1 ? real[0] : undefined;
}

interface ChoiceProps {
  offered: Connector[];
  chosen: Connector | undefined;
  onChange: (name: string) => void;
  error: string | undefined;
}

function Choice({ offered, chosen, onChange, error }: ChoiceProps) {
  const t = useText();
  if (offered.length === 0) return null;
  // Those that really send come first.
  const sorted = [...offered].sort((a, b) => Number(a.simulated) - Number(b.simulated));
  const risk = chosen && riskOf(chosen, t);
  return (
    <>
      <Radio.Group
        label={t.connectors.label}
        value={chosen?.name ?? null}
        onChange={onChange}
        error={error}
      >
        <Stack gap="sm" mt={6}>
          {sorted.map((one) => (
            <Radio
              key={one.name}
              value={one.name}
              label={connectorName(one, t)}
              description={
                one.running
                  ? t.connectors.kinds[one.kind].means
                  : `${t.connectors.kinds[one.kind].means} ${t.connectors.notRunning}`
              }
            />
          ))}
        </Stack>
      </Radio.Group>
      {risk && (
        <Note>
          <strong>{t.connectors.riskTitle}:</strong> {risk}
        </Note>
      )}
      {offered.every((one) => one.simulated) && <Note calm>{t.connectors.onlySimulated}</Note>}
    </>
  );
}
