// TOTP: turned on with a secret that an app takes, confirmed by its first code.
import { Anchor, Button, Group, PasswordInput, Stack, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { beginTotp, confirmTotp, endTotp } from "../api/operations.ts";
import { SESSION, useSession } from "../session/session.tsx";
import { useText } from "../texts/index.tsx";
import { FormDialog } from "../ui/dialog.tsx";
import { SecretOnce } from "../ui/notes.tsx";
import { Panel, Section } from "../ui/page.tsx";
import { ProblemNote, useNotices } from "../ui/problem_note.tsx";
import { State } from "../ui/state.tsx";

export function SecondStep() {
  const t = useText().settings;
  const { session } = useSession();
  const queries = useQueryClient();
  const notices = useNotices();
  const [ending, setEnding] = useState(false);
  const [password, setPassword] = useState("");
  const begin = useMutation({ mutationFn: beginTotp });
  const changed = () => {
    begin.reset();
    return queries.invalidateQueries({ queryKey: SESSION });
  };
  const end = async () => {
    await endTotp(password);
    setPassword("");
    notices.done(t.totpEnded);
    await changed();
  };
  const on = session.person.totp;
  return (
    <Section title={t.totp} lead={t.totpLead}>
      <Panel>
        <Stack gap="md">
          <Group justify="space-between">
            <State tone={on ? "good" : "calm"}>{on ? t.totpOn : t.totpOff}</State>
            {on ? (
              <Button variant="default" onClick={() => setEnding(true)}>
                {t.totpEnd}
              </Button>
            ) : (
              <Button variant="default" loading={begin.isPending} onClick={() => begin.mutate()}>
                {t.totpBegin}
              </Button>
            )}
          </Group>
          <ProblemNote error={begin.error} />
          {!on && begin.data && (
            <Confirm secret={begin.data.secret} url={begin.data.url} onConfirmed={changed} />
          )}
        </Stack>
      </Panel>
      <FormDialog
        title={t.totpEnd}
        opened={ending}
        onClose={() => setEnding(false)}
        action={t.totpEnd}
        onSubmit={end}
      >
        <PasswordInput
          label={t.current}
          autoComplete="current-password"
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
      </FormDialog>
    </Section>
  );
}

interface ConfirmProps {
  secret: string;
  url: string;
  onConfirmed: () => Promise<unknown>;
}

function Confirm({ secret, url, onConfirmed }: ConfirmProps) {
  const t = useText().settings;
  const notices = useNotices();
  const [code, setCode] = useState("");
  const confirm = useMutation({
    mutationFn: () => confirmTotp(code),
    onSuccess: () => {
      notices.done(t.totpConfirmed);
      return onConfirmed();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    confirm.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm" maw={460}>
        <span>{t.totpSecret}</span>
        <SecretOnce value={secret} />
        <Anchor href={url} size="sm">
          {t.totpOpen}
        </Anchor>
        <TextInput
          label={t.totpCode}
          inputMode="numeric"
          autoComplete="one-time-code"
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
        />
        <ProblemNote error={confirm.error} />
        <Group>
          <Button type="submit" loading={confirm.isPending} disabled={!/^\d{6}$/.test(code)}>
            {t.totpConfirm}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
