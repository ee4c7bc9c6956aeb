// Asks for email, password and, if the person uses it, the code of the second step.
import { Anchor, Button, PasswordInput, Stack, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useEffect, useState } from "react";
import { signIn } from "../../api/people.ts";
import { Problem } from "../../api/problem.ts";
import { becomeSomebody, hasEnded } from "../../session/who.ts";
import mark from "../../style/merpati.svg";
import { useText, useWords } from "../../texts/index.tsx";
import { Note } from "../../ui/notes.tsx";
import { ProblemNote } from "../../ui/problem_note.tsx";
import { CodeField } from "./code_field.tsx";
import classes from "./sign_in.module.css";

export function SignInPage() {
  const t = useText();
  const queries = useQueryClient();
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [totp, setTotp] = useState("");
  const [asksCode, setAsksCode] = useState(false);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      becomeSomebody(queries, await signIn({ email, password, totp: totp || undefined }));
    } catch (caught) {
      if (caught instanceof Problem && caught.code === "totp_required") setAsksCode(true);
      else setError(signInProblem(caught, t.signIn));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Gate title={t.signIn.title} lead={t.signIn.lead}>
      {hasEnded(queries) && <Note calm>{t.signIn.ended}</Note>}
      <form onSubmit={submit}>
        <Stack gap="sm">
          <TextInput
            label={t.signIn.email}
            type="email"
            autoComplete="username"
            required
            withAsterisk={false}
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
          <PasswordInput
            label={t.signIn.password}
            autoComplete="current-password"
            required
            withAsterisk={false}
            visibilityToggleButtonProps={{ "aria-label": t.signIn.showPassword, tabIndex: 0 }}
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
          {asksCode && <CodeField code={totp} onChange={setTotp} />}
          <ProblemNote error={error} />
          <Button type="submit" loading={busy} fullWidth mt={4}>
            {t.signIn.submit}
          </Button>
        </Stack>
      </form>
      <p className={classes.hint}>{t.signIn.noPassword}</p>
    </Gate>
  );
}

/** Words a failed sign-in in the reader's language, without revealing whether the person exists. */
export function signInProblem(error: unknown, t: ReturnType<typeof useText>["signIn"]): unknown {
  if (!(error instanceof Problem)) return error;
  if (error.status === 401) return new Problem(400, error.code, t.wrong);
  if (error.status === 429) return new Problem(400, error.code, t.throttled);
  return error;
}

/** The frame of pages for people who have not signed in. */
export function Gate(props: { title: string; lead: string; children: ReactNode }) {
  const { t, language, setLanguage } = useWords();
  useEffect(() => {
    document.title = `${props.title} · ${t.common.app}`;
  }, [props.title, t]);
  return (
    <main className={classes.gate}>
      <div className={classes.card}>
        <img src={mark} alt="" width={40} height={40} />
        <h1 className={classes.title}>{props.title}</h1>
        <p className={classes.lead}>{props.lead}</p>
        {props.children}
      </div>
      <Anchor
        component="button"
        type="button"
        size="sm"
        c="dimmed"
        onClick={() => setLanguage(language === "id" ? "en" : "id")}
      >
        {language === "id" ? "English" : "Bahasa Indonesia"}
      </Anchor>
    </main>
  );
}
