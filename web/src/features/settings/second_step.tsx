// TOTP: shows a secret for an authenticator app, and turns it on with the first code.
import { Anchor, Button, Group, PasswordInput, Stack, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { beginTotp, confirmTotp, endTotp } from "../../api/people.ts";
import { SESSION } from "../../queries/people.ts";
import { useSession } from "../../session/session.tsx";
import { useText } from "../../texts/index.tsx";
import { ConfirmByName } from "../../ui/confirm.tsx";
import { FormDialog } from "../../ui/dialog.tsx";
import { Code, SecretOnce } from "../../ui/notes.tsx";
import { Panel, Section } from "../../ui/page.tsx";
import { ProblemNote, useNotices } from "../../ui/problem_note.tsx";
import { State } from "../../ui/state.tsx";

type Asked = "begin" | "end" | undefined;

export function SecondStep() {
  const t = useText().settings;
  const { session } = useSession();
  const queries = useQueryClient();
  const notices = useNotices();
  const [asked, setAsked] = useState<Asked>();
  const [password, setPassword] = useState("");
  const [begun, setBegun] = useState<{ secret: string; uri: string }>();
  const [codes, setCodes] = useState<string[]>();
  const changed = () => queries.invalidateQueries({ queryKey: SESSION });
  const begin = async () => {
    setBegun(await beginTotp(password || undefined));
    setCodes(undefined);
    setPassword("");
  };
  const end = async () => {
    await endTotp();
    notices.done(t.totpEnded);
    setCodes(undefined);
    await changed();
  };
  const on = session.person.totp;
  return (
    <Section title={t.totp} lead={t.totpLead}>
      <Panel>
        <Stack gap="md">
          <Group justify="space-between">
            <State tone={on ? "good" : "calm"}>{on ? t.totpOn : t.totpOff}</State>
            <Button variant="default" onClick={() => setAsked(on ? "end" : "begin")}>
              {on ? t.totpEnd : t.totpBegin}
            </Button>
          </Group>
          {!on && begun && (
            <Confirm
              {...begun}
              onConfirmed={(made) => {
                setCodes(made);
                setBegun(undefined);
                void changed();
              }}
            />
          )}
          {codes && (
            <>
              <span>{t.recoveryCodes}</span>
              <Code>{codes.join("\n")}</Code>
            </>
          )}
        </Stack>
      </Panel>
      <FormDialog
        title={t.totpBegin}
        opened={asked === "begin"}
        onClose={() => setAsked(undefined)}
        action={t.totpBegin}
        onSubmit={begin}
      >
        <PasswordInput
          label={t.current}
          description={t.currentHint}
          autoComplete="current-password"
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
      </FormDialog>
      <ConfirmByName
        title={t.totpEnd}
        text={t.totpEndText}
        name={session.person.email}
        action={t.totpEnd}
        opened={asked === "end"}
        onClose={() => setAsked(undefined)}
        onConfirm={end}
      />
    </Section>
  );
}

interface ConfirmProps {
  secret: string;
  uri: string;
  onConfirmed: (recoveryCodes: string[]) => void;
}

function Confirm({ secret, uri, onConfirmed }: ConfirmProps) {
  const t = useText().settings;
  const notices = useNotices();
  const [code, setCode] = useState("");
  const confirm = useMutation({
    mutationFn: () => confirmTotp(code),
    onSuccess: (answer) => {
      notices.done(t.totpConfirmed);
      onConfirmed(answer.recovery_codes);
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
        <Anchor href={uri} size="sm">
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
