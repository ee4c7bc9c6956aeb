// The account's own: plan and credit, where its callbacks go, the secret that signs them.
import { Button, Group, Modal, Skeleton, Stack, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { changeAccount, readAccount, rotateSecret } from "../api/operations.ts";
import type { Account as Shown } from "../api/types.ts";
import { useAccountId, useSession } from "../session/session.tsx";
import { useText, useWords } from "../texts/index.tsx";
import { FormDialog } from "../ui/dialog.tsx";
import { Facts, Mono, Note, SecretOnce } from "../ui/notes.tsx";
import { Page, Panel, Section } from "../ui/page.tsx";
import { ProblemNote, useNotices } from "../ui/problem_note.tsx";
import { At } from "../ui/time.tsx";
import { Ledger } from "./ledger.tsx";
import { Members } from "./members.tsx";

export default function Account() {
  const t = useText().account;
  const id = useAccountId();
  const { can } = useSession();
  const account = useQuery({ queryKey: ["account", id], queryFn: () => readAccount(id) });
  return (
    <Page title={t.title} lead={t.lead}>
      <ProblemNote error={account.error} />
      {account.data ? <Plan account={account.data} /> : <Skeleton height={140} radius="md" />}
      <Ledger account={id} />
      {account.data && can("account:manage") && <Profile key={id} account={account.data} />}
      {account.data && can("account:manage") && <Secret account={id} />}
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
          { name: t.account.rate, value: account.rate },
          { name: t.account.devicesMax, value: format.number(account.devices_max) },
          { name: "id", value: <Mono>{account.id}</Mono> },
        ]}
      />
      {account.plan !== "paid" && <Note calm>{t.account.planNote}</Note>}
    </Panel>
  );
}

function Profile({ account }: { account: Shown }) {
  const t = useText();
  const queries = useQueryClient();
  const notices = useNotices();
  const [name, setName] = useState(account.name);
  const [callback, setCallback] = useState(account.callback ?? "");
  const save = useMutation({
    mutationFn: () => changeAccount(account.id, { name, callback: callback || null }),
    onSuccess: () => notices.done(t.common.saved),
    onSettled: () => {
      for (const key of ["account", "session", "admin"]) {
        void queries.invalidateQueries({ queryKey: [key] });
      }
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
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
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
            />
            <TextInput
              label={t.account.callback}
              description={t.account.callbackHint}
              type="url"
              value={callback}
              onChange={(event) => setCallback(event.currentTarget.value)}
            />
            <ProblemNote error={save.error} />
            <Group>
              <Button type="submit" loading={save.isPending}>
                {t.common.save}
              </Button>
            </Group>
          </Stack>
        </form>
      </Panel>
    </Section>
  );
}

function Secret({ account }: { account: string }) {
  const t = useText();
  const [asking, setAsking] = useDisclosure(false);
  const [made, setMade] = useState<string>();
  const rotate = async () => setMade((await rotateSecret(account)).webhook_secret);
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
      <FormDialog
        title={t.account.rotate}
        opened={asking}
        onClose={setAsking.close}
        action={t.account.rotate}
        onSubmit={rotate}
      >
        <span>{t.account.rotateText}</span>
      </FormDialog>
      <Modal
        opened={made !== undefined}
        onClose={() => setMade(undefined)}
        title={t.account.rotated}
        closeOnClickOutside={false}
        withCloseButton={false}
      >
        <Stack gap="md">
          <SecretOnce value={made ?? ""} />
          <Group justify="flex-end">
            <Button onClick={() => setMade(undefined)}>{t.keys.done}</Button>
          </Group>
        </Stack>
      </Modal>
    </Section>
  );
}
