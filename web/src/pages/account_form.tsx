// The form in which an administrator creates or changes an account.
import { Modal, NumberInput, Select, Skeleton, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Tagged } from "../api/client.ts";
import { changeAccountAsAdmin, createAccount, readAccountAsAdmin } from "../api/operations.ts";
import { Problem } from "../api/problem.ts";
import type { Account, Plan } from "../api/types.ts";
import { useSession } from "../session/session.tsx";
import { useText } from "../texts/index.tsx";
import { FormDialog } from "../ui/dialog.tsx";
import { ProblemNote, useNotices } from "../ui/problem_note.tsx";
import { useRefresh } from "../ui/refresh.ts";
import { asInstant, asLocal } from "../ui/url_state.ts";

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
    setAccount(made.id);
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
      <TextInput
        data-autofocus
        label={t.admin.name}
        required
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <PlanSelect value={plan} onChange={setPlan} />
      <NumberInput
        label={t.admin.credit}
        description={t.admin.creditHint}
        min={0}
        hideControls
        value={credit}
        onChange={setCredit}
      />
    </FormDialog>
  );
}

export function EditAccount({ id, onClose }: { id: string; onClose: () => void }) {
  const t = useText();
  const [round, setRound] = useState(0);
  const account = useQuery({
    queryKey: ["admin", "account", id],
    queryFn: () => readAccountAsAdmin(id),
    gcTime: 0, // Read again for each form.
  });
  if (account.data) {
    const reload = async () => {
      await account.refetch();
      setRound(round + 1);
    };
    return <EditForm key={round} account={account.data} reload={reload} onClose={onClose} />;
  }
  return (
    <Modal opened onClose={onClose} title={t.admin.edit} withCloseButton={false}>
      {account.error ? <ProblemNote error={account.error} /> : <Skeleton height={320} />}
    </Modal>
  );
}

interface EditFormProps {
  account: Tagged<Account>;
  reload: () => Promise<void>;
  onClose: () => void;
}

function EditForm({ account, reload, onClose }: EditFormProps) {
  const t = useText();
  const notices = useNotices();
  const refresh = useRefresh("admin", "account", "session");
  const [tag] = useState(account.tag);
  const [name, setName] = useState(account.name);
  const [plan, setPlan] = useState(account.plan);
  const [expires, setExpires] = useState(asLocal(account.expires_at));
  const [rate, setRate] = useState(account.rate);
  const [devices, setDevices] = useState<number | string>(account.devices_max);
  const submit = async () => {
    const expires_at = asInstant(expires) ?? null;
    const change = { name, plan, rate, devices_max: Number(devices), expires_at };
    try {
      await changeAccountAsAdmin(account.id, tag, change);
    } catch (error) {
      if (error instanceof Problem && error.status === 412) {
        notices.failed(error);
        await reload();
      }
      throw error;
    }
    notices.done(t.common.saved);
    await refresh();
  };
  return (
    <FormDialog
      title={`${t.admin.edit}: ${account.name}`}
      opened
      onClose={onClose}
      action={t.common.save}
      onSubmit={submit}
    >
      <TextInput
        data-autofocus
        label={t.admin.name}
        required
        withAsterisk={false}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <PlanSelect value={plan} onChange={setPlan} />
      <TextInput
        type="datetime-local"
        label={t.admin.expires}
        description={t.admin.expiresHint}
        value={expires}
        onChange={(event) => setExpires(event.currentTarget.value)}
      />
      <TextInput
        label={t.account.rate}
        description={t.admin.rateHint}
        value={rate}
        onChange={(event) => setRate(event.currentTarget.value.trim())}
      />
      <NumberInput
        label={t.account.devicesMax}
        min={0}
        allowDecimal={false}
        hideControls
        value={devices}
        onChange={setDevices}
      />
    </FormDialog>
  );
}
