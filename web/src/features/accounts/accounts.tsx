// All accounts of the server, for administrators.
import { Anchor, Button, NumberInput, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useState } from "react";
import { useLocation } from "wouter";
import { topUp } from "../../api/accounts.ts";
import type { Account } from "../../api/types.ts";
import { UNANNOUNCED, usePaged } from "../../live/paged.ts";
import { allAccounts } from "../../queries/accounts.ts";
import { useSession } from "../../session/session.tsx";
import { useText, useWords } from "../../texts/index.tsx";
import { TypedName } from "../../ui/confirm.tsx";
import { type Column, DataTable } from "../../ui/data_table.tsx";
import { FormDialog } from "../../ui/dialog.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Empty, Mono, Quiet } from "../../ui/notes.tsx";
import { Page } from "../../ui/page.tsx";
import { useNotices } from "../../ui/problem_note.tsx";
import { randomKey } from "../../ui/random_key.ts";
import { useRefresh } from "../../ui/refresh.ts";
import { RowMenu } from "../../ui/row_menu.tsx";
import { SecretDialog } from "../../ui/secret_dialog.tsx";
import { At } from "../../ui/time.tsx";
import { CreateAccount, EditAccount } from "./account_form.tsx";

interface Asked {
  action: "topUp" | "edit";
  account: Account;
}

export default function Accounts() {
  const t = useText();
  const { setAccount } = useSession();
  const [, go] = useLocation();
  const [creating, setCreating] = useDisclosure(false);
  const [asked, setAsked] = useState<Asked>();
  const [secret, setSecret] = useState<string>();
  const accounts = usePaged(allAccounts.list(), { every: UNANNOUNCED });
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
        columns={useColumns(open, setAsked)}
        rows={accounts.items}
        rowKey={(account) => account.id}
        error={accounts.error}
        since={accounts.since}
        next={accounts.next}
        empty={
          <Empty icon="accounts" title={t.admin.empty} text={t.admin.emptyText}>
            {create}
          </Empty>
        }
      />
      <CreateAccount opened={creating} onClose={setCreating.close} onMade={setSecret} />
      {asked?.action === "topUp" && (
        <TopUp account={asked.account} onClose={() => setAsked(undefined)} />
      )}
      {asked?.action === "edit" && (
        <EditAccount id={asked.account.id} onClose={() => setAsked(undefined)} />
      )}
      <SecretDialog
        title={t.admin.secretMade}
        value={secret}
        onClose={() => setSecret(undefined)}
      />
    </Page>
  );
}

function useColumns(
  open: (account: Account) => void,
  ask: (asked: Asked) => void,
): Column<Account>[] {
  const { t, format } = useWords();
  return [
    {
      key: "name",
      head: t.admin.name,
      phone: "title",
      cell: (one) => (
        <Anchor
          component="button"
          type="button"
          inherit
          c="inherit"
          ta="left"
          onClick={() => open(one)}
        >
          {one.name}
        </Anchor>
      ),
    },
    { key: "id", head: t.account.id, narrow: true, cell: (one) => <Mono>{one.id}</Mono> },
    { key: "plan", head: t.admin.plan, narrow: true, cell: (one) => t.account.plans[one.plan] },
    {
      key: "credit",
      head: t.admin.credit,
      align: "right",
      narrow: true,
      cell: (one) =>
        one.credit === null ? <Quiet>{t.common.unlimited}</Quiet> : format.number(one.credit),
    },
    {
      key: "expires",
      head: t.admin.expires,
      narrow: true,
      cell: (one) =>
        one.expires_at ? <At time={one.expires_at} /> : <Quiet>{t.account.noEnd}</Quiet>,
    },
    {
      key: "actions",
      head: "",
      narrow: true,
      phone: "mark",
      cell: (one) => (
        <RowMenu
          of={one.name}
          actions={[
            { name: t.admin.open, run: () => open(one) },
            { name: t.admin.topUp, run: () => ask({ action: "topUp", account: one }) },
            { name: t.admin.edit, run: () => ask({ action: "edit", account: one }) },
          ]}
        />
      ),
    },
  ];
}

export function TopUp({ account, onClose }: { account: Account; onClose: () => void }) {
  const t = useText();
  const refresh = useRefresh("admin", "account", "ledger");
  const notices = useNotices();
  const [amount, setAmount] = useState<number | string>("");
  const [reason, setReason] = useState("");
  const [typed, setTyped] = useState("");
  const [key] = useState(randomKey); // The answer to a first try may be lost.
  const takesAway = Number(amount) < 0;
  const submit = async () => {
    await topUp(account.id, Number(amount), reason, key);
    notices.done(takesAway ? t.admin.deducted : t.admin.toppedUp);
    await refresh();
  };
  return (
    <FormDialog
      title={`${t.admin.topUp}: ${account.name}`}
      opened
      onClose={onClose}
      action={takesAway ? t.admin.deduct : t.admin.topUp}
      onSubmit={submit}
      disabled={Number(amount) === 0 || (takesAway && typed !== account.name)}
      danger={takesAway}
    >
      {(problemOf) => (
        <>
          <NumberInput
            data-autofocus
            label={t.admin.amount}
            error={problemOf("amount")}
            description={t.admin.amountHint}
            allowDecimal={false}
            hideControls
            value={amount}
            onChange={setAmount}
          />
          <TextInput
            label={t.account.reason}
            error={problemOf("reason")}
            maxLength={200}
            value={reason}
            onChange={(event) => setReason(event.currentTarget.value)}
          />
          {takesAway && <TypedName name={account.name} value={typed} onChange={setTyped} />}
        </>
      )}
    </FormDialog>
  );
}
