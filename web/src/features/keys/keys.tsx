// The account's API keys: creating, rotating and revoking them. A new key is shown once.
import { Button, Checkbox, Select, Stack, Switch, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useState } from "react";
import { createKey, revokeKey, rotateKey } from "../../api/accounts.ts";
import type { ApiKey, Scope } from "../../api/types.ts";
import { UNANNOUNCED, usePaged } from "../../live/paged.ts";
import { keys as keyQueries } from "../../queries/accounts.ts";
import { SCOPES } from "../../session/scopes.ts";
import { useAccountId } from "../../session/session.tsx";
import { type Texts, useText } from "../../texts/index.tsx";
import { ConfirmByName } from "../../ui/confirm.tsx";
import { type Column, DataTable } from "../../ui/data_table.tsx";
import { FormDialog } from "../../ui/dialog.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Empty, Mono, Quiet } from "../../ui/notes.tsx";
import { Page } from "../../ui/page.tsx";
import { useNotices } from "../../ui/problem_note.tsx";
import { useRefresh } from "../../ui/refresh.ts";
import { RowMenu } from "../../ui/row_menu.tsx";
import { SecretDialog } from "../../ui/secret_dialog.tsx";
import { State } from "../../ui/state.tsx";
import { Ago } from "../../ui/time.tsx";

type Revision = ApiKey["revision"];
type Asked = { action: "rotate" | "revoke"; key: ApiKey };

export default function Keys() {
  const t = useText().keys;
  const account = useAccountId();
  const notices = useNotices();
  const [creating, setCreating] = useDisclosure(false);
  const [asked, setAsked] = useState<Asked>();
  const [made, setMade] = useState<string>();
  const [all, setAll] = useState(false);
  const keys = usePaged(keyQueries.list(account), { every: UNANNOUNCED });
  const changed = useRefresh("keys");
  const rows = keys.items?.filter((key) => all || key.state === "active");
  const hasOld = keys.items?.some((key) => key.state !== "active");
  const create = (
    <Button leftSection={<Icon name="plus" size={16} />} onClick={setCreating.open}>
      {t.create}
    </Button>
  );
  const rotate = async () => {
    if (asked) setMade((await rotateKey(asked.key.id)).key);
    await changed();
  };
  const revoke = async () => {
    if (asked) await revokeKey(asked.key.id);
    notices.done(t.revoked);
    await changed();
  };
  return (
    <Page title={t.title} lead={t.lead} actions={rows?.length ? create : null}>
      <DataTable
        label={t.title}
        columns={useColumns(setAsked)}
        rows={rows}
        rowKey={(key) => key.id}
        error={keys.error}
        since={keys.since}
        next={keys.next}
        empty={
          <Empty icon="keys" title={t.empty} text={t.emptyText}>
            {create}
          </Empty>
        }
      />
      {hasOld && (
        <Switch
          mt="md"
          size="xs"
          label={t.showRevoked}
          checked={all}
          onChange={(event) => setAll(event.currentTarget.checked)}
        />
      )}
      <CreateKey
        opened={creating}
        onClose={setCreating.close}
        onMade={(key) => {
          setMade(key);
          void changed();
        }}
      />
      <ConfirmByName
        title={asked?.action === "rotate" ? t.rotateTitle : t.revokeTitle}
        text={asked?.action === "rotate" ? t.rotateText : t.revokeText}
        name={asked?.key.name || asked?.key.hint || ""}
        action={asked?.action === "rotate" ? t.rotate : t.revoke}
        opened={asked !== undefined}
        onClose={() => setAsked(undefined)}
        onConfirm={asked?.action === "rotate" ? rotate : revoke}
      />
      <SecretDialog title={t.made} value={made} onClose={() => setMade(undefined)} />
    </Page>
  );
}

const TONES = { active: "good", expired: "calm", revoked: "bad" } as const;

function useColumns(ask: (asked: Asked) => void): Column<ApiKey>[] {
  const t = useText().keys;
  return [
    { key: "name", head: t.name, phone: "title", cell: (key) => key.name || "–" },
    { key: "hint", head: t.key, narrow: true, cell: (key) => <Mono>{`${key.hint}…`}</Mono> },
    { key: "scopes", head: t.scopes, cell: (key) => scopesOf(key, t) },
    {
      key: "revision",
      head: t.revision,
      narrow: true,
      cell: (key) => (key.revision === "auto" ? <Quiet>{t.auto}</Quiet> : key.revision),
    },
    {
      key: "state",
      head: t.state,
      narrow: true,
      phone: "mark",
      cell: (key) => <State tone={TONES[key.state] ?? "calm"}>{t.states[key.state]}</State>,
    },
    { key: "created", head: t.created, narrow: true, cell: (key) => <Ago time={key.created_at} /> },
    {
      key: "actions",
      head: "",
      narrow: true,
      phone: "mark",
      cell: (key) =>
        key.state === "active" && (
          <RowMenu
            of={key.name || key.hint}
            actions={[
              { name: t.rotate, run: () => ask({ action: "rotate", key }) },
              { name: t.revoke, run: () => ask({ action: "revoke", key }), danger: true },
            ]}
          />
        ),
    },
  ];
}

function scopesOf(key: ApiKey, t: Texts["keys"]): string {
  const names: Record<string, string> = t.scopeShort;
  return (key.scopes ?? []).map((scope) => names[scope.replace(":", "_")] ?? scope).join(", ");
}

interface CreateKeyProps {
  opened: boolean;
  onClose: () => void;
  onMade: (key: string) => void;
}

function CreateKey({ opened, onClose, onMade }: CreateKeyProps) {
  const t = useText().keys;
  const account = useAccountId();
  const [name, setName] = useState("");
  const [revision, setRevision] = useState<Revision>("auto");
  const [scopes, setScopes] = useState<Scope[]>(["send"]);
  const names = t.scopeNames as Record<string, string>;
  const submit = async () => {
    const made = await createKey({ account, name, revision, scopes });
    setName("");
    if (made.key) onMade(made.key);
  };
  return (
    <FormDialog
      title={t.create}
      opened={opened}
      onClose={onClose}
      action={t.create}
      onSubmit={submit}
      disabled={scopes.length === 0}
    >
      {(problemOf) => (
        <>
          <TextInput
            data-autofocus
            label={t.name}
            error={problemOf("name")}
            description={t.nameHint}
            required
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Checkbox.Group
            label={t.scopes}
            value={scopes}
            onChange={(chosen) => setScopes(chosen as Scope[])}
          >
            <Stack gap={8} mt={6}>
              {SCOPES.map((scope) => (
                <Checkbox
                  key={scope}
                  value={scope}
                  label={names[scope.replace(":", "_")]}
                  description={scope}
                  size="xs"
                />
              ))}
            </Stack>
          </Checkbox.Group>
          <Select
            label={t.revision}
            description={t.revisionHint}
            data={[
              { value: "auto", label: t.auto },
              { value: "A", label: "A" },
              { value: "B", label: "B" },
            ]}
            value={revision}
            onChange={(value) => setRevision((value ?? "auto") as Revision)}
          />
        </>
      )}
    </FormDialog>
  );
}
