// The form in which an administrator creates or changes an account.
import { Modal, NumberInput, Select, Skeleton, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { changeAccountAsAdmin, createAccount, readAccountAsAdmin } from "../../api/accounts.ts";
import type { Tagged } from "../../api/client.ts";
import type { Account, Plan } from "../../api/types.ts";
import { allAccounts } from "../../queries/accounts.ts";
import { useSession } from "../../session/session.tsx";
import { useText } from "../../texts/index.tsx";
import { FormDialog } from "../../ui/dialog.tsx";
import { useEdited } from "../../ui/edited.ts";
import { useIsShown } from "../../ui/is_shown.ts";
import { MomentField } from "../../ui/moment_field.tsx";
import { ProblemNote } from "../../ui/problem_note.tsx";
import { useRefresh } from "../../ui/refresh.ts";

function PlanSelect({ value, onChange }: { value: Plan; onChange: (plan: Plan) => void }) {
  const t = useText();
  const plans = Object.entries(t.account.plans).map(([plan, label]) => ({ value: plan, label }));
  return (
    <Select
      label={t.admin.plan}
      data={plans}
      value={value}
      onChange={(plan) => onChange((plan ?? "paid") as Plan)}
    />
  );
}

interface CreateAccountProps {
  opened: boolean;
  onClose: () => void;
  onMade: (secret: string) => void;
}

export function CreateAccount({ opened, onClose, onMade }: CreateAccountProps) {
  const t = useText();
  const refresh = useRefresh("admin");
  const { setAccount } = useSession();
  const isShown = useIsShown();
  const [name, setName] = useState("");
  const [plan, setPlan] = useState<Plan>("paid");
  const [credit, setCredit] = useState<number | string>("");
  const submit = async () => {
    const made = await createAccount({
      name,
      plan,
      ...(credit !== "" && { credit: Number(credit) }),
    });
    await refresh();
    if (isShown()) setAccount(made.id);
    setName("");
    if (made.webhook_secret) onMade(made.webhook_secret);
  };
  return (
    <FormDialog
      title={t.admin.create}
      opened={opened}
      onClose={onClose}
      action={t.admin.create}
      onSubmit={submit}
    >
      {(problemOf) => (
        <>
          <TextInput
            data-autofocus
            label={t.admin.name}
            required
            error={problemOf("name")}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <PlanSelect value={plan} onChange={setPlan} />
          <NumberInput
            label={t.admin.credit}
            error={problemOf("credit")}
            description={t.admin.creditHint}
            min={0}
            hideControls
            value={credit}
            onChange={setCredit}
          />
        </>
      )}
    </FormDialog>
  );
}

export function EditAccount({ id, onClose }: { id: string; onClose: () => void }) {
  const t = useText();
  const account = useQuery({
    ...allAccounts.one(id),
    gcTime: 0, // Read again for each form.
  });
  if (account.data) return <EditForm account={account.data} onClose={onClose} />;
  return (
    <Modal opened onClose={onClose} title={t.admin.edit} withCloseButton={false}>
      {account.error ? <ProblemNote error={account.error} /> : <Skeleton height={320} />}
    </Modal>
  );
}

interface EditFormProps {
  account: Tagged<Account>;
  onClose: () => void;
}

function EditForm({ account, onClose }: EditFormProps) {
  const t = useText();
  const { draft, set, saveAndClose } = useEdited({
    stored: account,
    draftOf: ({ name, plan, rate, devices_max, expires_at }) => ({
      name,
      plan,
      rate,
      devices: devices_max as number | string,
      expires: expires_at ?? "",
    }),
    save: ({ devices, expires, ...rest }, { tag }) =>
      changeAccountAsAdmin(account.id, tag, {
        ...rest,
        devices_max: Number(devices),
        expires_at: expires || null,
      }),
    read: () => readAccountAsAdmin(account.id),
    refresh: useRefresh("admin", "account", "session"),
    saved: t.common.saved,
  });
  return (
    <FormDialog
      title={`${t.admin.edit}: ${account.name}`}
      opened
      onClose={onClose}
      action={t.common.save}
      onSubmit={saveAndClose}
    >
      {(problemOf) => (
        <>
          <TextInput
            data-autofocus
            label={t.admin.name}
            error={problemOf("name")}
            required
            withAsterisk={false}
            value={draft.name}
            onChange={(event) => set({ name: event.currentTarget.value })}
          />
          <PlanSelect value={draft.plan} onChange={(plan) => set({ plan })} />
          <MomentField
            error={problemOf("expires_at")}
            label={t.admin.expires}
            description={t.admin.expiresHint}
            value={draft.expires}
            onChange={(expires) => set({ expires })}
            atEnd
          />
          <TextInput
            label={t.account.rate}
            error={problemOf("rate")}
            required
            withAsterisk={false}
            description={t.admin.rateHint}
            value={draft.rate}
            onChange={(event) => set({ rate: event.currentTarget.value.trim() })}
          />
          <NumberInput
            label={t.account.devicesMax}
            error={problemOf("devices_max")}
            required
            withAsterisk={false}
            min={0}
            allowDecimal={false}
            hideControls
            value={draft.devices}
            onChange={(devices) => set({ devices })}
          />
        </>
      )}
    </FormDialog>
  );
}
