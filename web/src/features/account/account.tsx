// The account: plan and credit, the callback address, and the secret that signs callbacks.
import { Button, Group, Skeleton, Stack, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { changeAccount, readAccount, rotateSecret } from "../../api/accounts.ts";
import type { Tagged } from "../../api/client.ts";
import type { Account as Shown } from "../../api/types.ts";
import { usePollInterval } from "../../live/live.tsx";
import { accounts } from "../../queries/accounts.ts";
import { useAccountId, useSession } from "../../session/session.tsx";
import { type Texts, useText, useWords } from "../../texts/index.tsx";
import { ConfirmByName } from "../../ui/confirm.tsx";
import { useEdited } from "../../ui/edited.ts";
import { fieldProblems } from "../../ui/field_problems.ts";
import { Facts, Mono, Note } from "../../ui/notes.tsx";
import { Page, Panel, Section } from "../../ui/page.tsx";
import { ProblemNote } from "../../ui/problem_note.tsx";
import { useRefresh } from "../../ui/refresh.ts";
import { SecretDialog } from "../../ui/secret_dialog.tsx";
import { Stale } from "../../ui/stale.tsx";
import { At } from "../../ui/time.tsx";
import { BatchFields, batchDraftOf, batchOf } from "./batch_fields.tsx";
import { Ledger } from "./ledger.tsx";
import { Members } from "./members.tsx";

export default function Account() {
  const t = useText().account;
  const id = useAccountId();
  const { can } = useSession();
  const account = useQuery({ ...accounts.own(id), refetchInterval: usePollInterval() });
  return (
    <Page title={t.title} lead={t.lead}>
      {!account.data && <ProblemNote error={account.error} />}
      {account.data && <Stale error={account.error} since={account.dataUpdatedAt} />}
      {account.data ? <Plan account={account.data} /> : <Skeleton height={140} radius="md" />}
      <Ledger account={id} />
      {account.data && can("account:manage") && <Profile key={id} account={account.data} />}
      {account.data && can("account:manage") && <Secret account={account.data} />}
      {can("account:manage") && <Members account={id} />}
    </Page>
  );
}

function Plan({ account }: { account: Shown }) {
  const { t, format } = useWords();
  return (
    <Panel>
      <Facts
        facts={[
          { name: t.account.plan, value: t.account.plans[account.plan] ?? account.plan },
          {
            name: t.account.credit,
            value: account.credit === null ? t.common.unlimited : format.number(account.credit),
          },
          {
            name: t.account.expires,
            value: account.expires_at ? <At time={account.expires_at} /> : t.account.noEnd,
          },
          { name: t.account.rate, value: rateText(account.rate, t) },
          { name: t.account.devicesMax, value: format.number(account.devices_max) },
          { name: t.account.id, value: <Mono>{account.id}</Mono> },
        ]}
      />
      {account.plan !== "paid" && <Note calm>{t.account.planNote}</Note>}
    </Panel>
  );
}

/** "60/min" of an account in words. */
export function rateText(rate: string, t: Texts): string {
  const [count, unit] = rate.split("/");
  if (unit === "s" || unit === "min") return t.account.rates[unit](count ?? "");
  return rate === "none" ? t.account.rates.none : t.account.rates.usual;
}

function Profile({ account }: { account: Tagged<Shown> }) {
  const t = useText();
  const { draft, set, save, busy, error } = useEdited({
    stored: account,
    draftOf: ({ name, callback, callback_batch }) => ({
      name,
      callback: callback ?? "",
      batch: batchDraftOf(callback_batch),
    }),
    save: ({ name, callback, batch }, { tag }) =>
      changeAccount(account.id, tag, {
        name,
        callback: callback || null,
        callback_batch: batchOf(batch),
      }),
    read: () => readAccount(account.id),
    refresh: useRefresh("account", "session", "admin"),
    saved: t.common.saved,
  });
  const problems = fieldProblems(error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save();
  };
  return (
    <Section title={t.account.profile}>
      <Panel>
        <form onSubmit={submit}>
          <Stack gap="sm" maw={520}>
            <TextInput
              label={t.account.name}
              required
              withAsterisk={false}
              error={problems.of("name")}
              value={draft.name}
              onChange={(event) => set({ name: event.currentTarget.value })}
            />
            <TextInput
              label={t.account.callback}
              description={t.account.callbackHint}
              type="url"
              error={problems.of("callback")}
              value={draft.callback}
              onChange={(event) => set({ callback: event.currentTarget.value })}
            />
            <BatchFields
              draft={draft.batch}
              onChange={(batch) => set({ batch })}
              problems={problems}
            />
            <ProblemNote error={error} fields={problems} />
            <Group>
              <Button type="submit" loading={busy}>
                {t.common.save}
              </Button>
            </Group>
          </Stack>
        </form>
      </Panel>
    </Section>
  );
}

function Secret({ account }: { account: Shown }) {
  const t = useText();
  const [asking, setAsking] = useDisclosure(false);
  const [made, setMade] = useState<string>();
  const rotate = async () => setMade((await rotateSecret(account.id)).webhook_secret);
  return (
    <Section
      title={t.account.secret}
      lead={t.account.secretLead}
      actions={
        <Button variant="default" onClick={setAsking.open}>
          {t.account.rotate}
        </Button>
      }
    >
      <ConfirmByName
        title={t.account.rotate}
        text={t.account.rotateText}
        name={account.name}
        action={t.account.rotate}
        opened={asking}
        onClose={setAsking.close}
        onConfirm={rotate}
      />
      <SecretDialog title={t.account.rotated} value={made} onClose={() => setMade(undefined)} />
    </Section>
  );
}
