// The page of an invitation's link: what it offers, and the password with which it is accepted.
import { Button, PasswordInput, Stack } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useLocation } from "wouter";
import { acceptInvitation } from "../../api/people.ts";
import { Problem } from "../../api/problem.ts";
import { people } from "../../queries/people.ts";
import { becomeSomebody } from "../../session/who.ts";
import { useText } from "../../texts/index.tsx";
import { fieldProblems } from "../../ui/field_problems.ts";
import { Facts } from "../../ui/notes.tsx";
import { ProblemNote } from "../../ui/problem_note.tsx";
import { CodeField } from "./code_field.tsx";
import { Gate, signInProblem } from "./sign_in.tsx";

interface InvitationPageProps {
  token: string;
  onUsed: () => void;
}

export function InvitationPage({ token, onUsed }: InvitationPageProps) {
  const t = useText();
  // The key begins as the session's, so that it is not dropped with a person's data.
  const offered = useQuery({
    ...people.offer(token),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  const isDead = offered.error instanceof Problem && offered.error.status === 404;
  return (
    <Gate
      title={t.invitation.title}
      lead={offered.data ? t.invitation.lead(offered.data.account) : ""}
    >
      {offered.error && (
        <>
          <ProblemNote
            error={isDead ? new Problem(400, "invitation", t.invitation.dead) : offered.error}
          />
          <Button variant="default" fullWidth mt="md" onClick={onUsed}>
            {t.signIn.title}
          </Button>
        </>
      )}
      {offered.data && (
        <Stack gap="md">
          <Facts
            facts={[
              { name: t.people.email, value: offered.data.email },
              {
                name: t.people.role,
                value: [
                  t.people.roles[offered.data.role],
                  t.people.roleHints[offered.data.role],
                ].join(": "),
              },
              offered.data.invited_by !== null && {
                name: t.invitation.by,
                value: offered.data.invited_by,
              },
            ]}
          />
          <Accept token={token} email={offered.data.email} onUsed={onUsed} />
        </Stack>
      )}
    </Gate>
  );
}

interface AcceptProps extends InvitationPageProps {
  email: string;
}

/** The answers do not tell whether the person is new, so one field asks for either password. */
function Accept({ token, email, onUsed }: AcceptProps) {
  const t = useText();
  const queries = useQueryClient();
  const [, go] = useLocation();
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
      const session = await acceptInvitation({ token, password, ...(totp && { totp }) });
      becomeSomebody(queries, session);
      go("/", { replace: true });
      onUsed();
    } catch (caught) {
      if (caught instanceof Problem && caught.code === "totp_required") setAsksCode(true);
      else setError(signInProblem(caught, { ...t.signIn, wrong: t.invitation.wrong }));
    } finally {
      setBusy(false);
    }
  };
  const problems = fieldProblems(error);
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        {/* For password managers. */}
        <input type="email" autoComplete="username" value={email} readOnly hidden />
        <PasswordInput
          label={t.signIn.password}
          description={t.invitation.passwordHint}
          error={problems.of("password")}
          autoComplete="new-password"
          required
          withAsterisk={false}
          minLength={12}
          visibilityToggleButtonProps={{ "aria-label": t.signIn.showPassword, tabIndex: 0 }}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        {asksCode && <CodeField code={totp} onChange={setTotp} />}
        <ProblemNote error={error} fields={problems} />
        <Button type="submit" loading={busy} fullWidth>
          {t.invitation.accept}
        </Button>
      </Stack>
    </form>
  );
}
