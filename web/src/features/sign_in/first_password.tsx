// Asks a person who signed in by a link, and has no password yet, for one.
import { Button, PasswordInput, Stack } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { changePassword } from "../../api/people.ts";
import { SESSION } from "../../queries/people.ts";
import { useText } from "../../texts/index.tsx";
import { fieldProblems } from "../../ui/field_problems.ts";
import { ProblemNote } from "../../ui/problem_note.tsx";
import { Gate } from "./sign_in.tsx";

interface FirstPasswordPageProps {
  email: string;
  onDone: () => void;
}

export function FirstPasswordPage({ email, onDone }: FirstPasswordPageProps) {
  const t = useText().signIn;
  const queries = useQueryClient();
  const [password, setPassword] = useState("");
  const change = useMutation({
    mutationFn: () => changePassword({ password }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: SESSION });
      onDone();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate();
  };
  const problems = fieldProblems(change.error);
  return (
    <Gate title={t.firstTitle} lead={t.firstLead(email)}>
      <form onSubmit={submit}>
        <Stack gap="sm">
          <PasswordInput
            label={t.newPassword}
            description={t.newPasswordHint}
            error={problems.of("password")}
            autoComplete="new-password"
            required
            withAsterisk={false}
            minLength={12}
            visibilityToggleButtonProps={{ "aria-label": t.showPassword, tabIndex: 0 }}
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
          <ProblemNote error={change.error} fields={problems} />
          <Button type="submit" loading={change.isPending} fullWidth>
            {t.firstSubmit}
          </Button>
          <Button variant="subtle" onClick={onDone} fullWidth>
            {t.firstLater}
          </Button>
        </Stack>
      </form>
    </Gate>
  );
}
