// All accounts of the server, for its administrator.
import { Button, Group, Modal, NumberInput, Select, Stack, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useLocation } from "wouter";
import { createAccount, listAccounts, topUp } from "../api/operations.ts";
import type { Account, Plan } from "../api/types.ts";
import { useSession } from "../session/session.tsx";
import { useText, useWords } from "../texts/index.tsx";
import { type Column, DataTable } from "../ui/data_table.tsx";
import { FormDialog } from "../ui/dialog.tsx";
import { Icon } from "../ui/icon.tsx";
import { Empty, Mono, SecretOnce } from "../ui/notes.tsx";
import { Page } from "../ui/page.tsx";
import { useNotices } from "../ui/problem_note.tsx";
import { At } from "../ui/time.tsx";

export default function Accounts() {
  const t = useText();
  const { setAccount } = useSession();
  const [, go] = useLocation();
  const [creating, setCreating] = useDisclosure(false);
  const [filling, setFilling] = useState<Account>();
  const [secret, setSecret] = useState<string>();
  const accounts = useQuery({ queryKey: ["admin", "accounts"], queryFn: listAccounts });
  const open = (account: Account) => {
    setAccount(account.id);
    go("/");
  };
  const create = (
    <Button leftSection={<Icon name="plus" size={16} />} onClick={setCreating.open}>
      {t.admin.create}
    </Button>
  );
  return (
    <Page title={t.admin.accounts} lead={t.admin.accountsLead} actions={create}>
      <DataTable
        label={t.admin.accounts}
        columns={useColumns(open, setFilling)}
        rows={accounts.data?.items}
        rowKey={(account) => account.id}
        error={accounts.error}
        empty={
          <Empty icon="accounts" title={t.admin.empty} text={t.admin.emptyText}>
            {create}
          </Empty>
        }
      />
      <CreateAccount opened={creating} onClose={setCreating.close} onMade={setSecret} />
      <TopUp account={filling} onClose={() => setFilling(undefined)} />
      <Modal
        opened={secret !== undefined}
        onClose={() => setSecret(undefined)}
        title={t.admin.secretMade}
        closeOnClickOutside={false}
        withCloseButton={false}
      >
        <Stack gap="md">
          <SecretOnce value={secret ?? ""} />
          <Group justify="flex-end">
            <Button onClick={() => setSecret(undefined)}>{t.keys.done}</Button>
          </Group>
        </Stack>
      </Modal>
    </Page>
  );
}

function useColumns(
  open: (account: Account) => void,
  fill: (account: Account) => void,
): Column<Account>[] {
  const { t, format } = useWords();
  return [
    { key: "name", head: t.admin.name, cell: (one) => one.name },
    { key: "id", head: "id", narrow: true, cell: (one) => <Mono>{one.id}</Mono> },
    { key: "plan", head: t.admin.plan, narrow: true, cell: (one) => t.account.plans[one.plan] },
    {
      key: "credit",
      head: t.admin.credit,
      align: "right",
      narrow: true,
      cell: (one) => (one.credit === null ? t.common.unlimited : format.number(one.credit)),
    },
    {
      key: "expires",
      head: t.admin.expires,
      narrow: true,
      cell: (one) => (one.expires_at ? <At time={one.expires_at} /> : t.account.noEnd),
    },
    {
      key: "actions",
      head: "",
      narrow: true,
      cell: (one) => (
        <Group gap={6} wrap="nowrap" justify="flex-end">
          <Button size="compact-xs" variant="default" onClick={() => fill(one)}>
            {t.admin.topUp}
          </Button>
          <Button size="compact-xs" variant="default" onClick={() => open(one)}>
            {t.admin.open}
          </Button>
        </Group>
      ),
    },
  ];
}

interface CreateAccountProps {
  opened: boolean;
  onClose: () => void;
  onMade: (secret: string) => void;
}

function CreateAccount({ opened, onClose, onMade }: CreateAccountProps) {
  const t = useText();
  const queries = useQueryClient();
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
    await queries.invalidateQueries({ queryKey: ["admin"] });
    setAccount(made.id);
    setName("");
    if (made.webhook_secret) onMade(made.webhook_secret);
  };
  const plans = Object.entries(t.account.plans).map(([value, label]) => ({ value, label }));
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
      <Select
        label={t.admin.plan}
        data={plans}
        value={plan}
        onChange={(value) => setPlan((value ?? "paid") as Plan)}
      />
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

function TopUp({ account, onClose }: { account: Account | undefined; onClose: () => void }) {
  const t = useText();
  const queries = useQueryClient();
  const notices = useNotices();
  const [amount, setAmount] = useState<number | string>("");
  const submit = async () => {
    if (account) await topUp(account.id, Number(amount));
    setAmount("");
    notices.done(t.admin.toppedUp);
    for (const key of ["admin", "account", "ledger"]) {
      void queries.invalidateQueries({ queryKey: [key] });
    }
  };
  return (
    <FormDialog
      title={`${t.admin.topUp}: ${account?.name ?? ""}`}
      opened={account !== undefined}
      onClose={onClose}
      action={t.admin.topUp}
      onSubmit={submit}
      disabled={amount === "" || amount === 0}
    >
      <NumberInput
        data-autofocus
        label={t.admin.amount}
        description={t.admin.amountHint}
        hideControls
        value={amount}
        onChange={setAmount}
      />
    </FormDialog>
  );
}
