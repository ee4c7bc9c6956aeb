// The page of a sign-in link, which works once.
import { Button } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useLocation } from "wouter";
import { signInByLink } from "../../api/people.ts";
import { Problem } from "../../api/problem.ts";
import { becomeSomebody } from "../../session/who.ts";
import { useText } from "../../texts/index.tsx";
import { ProblemNote } from "../../ui/problem_note.tsx";
import { Gate } from "./sign_in.tsx";

export function LinkPage({ token, onUsed }: { token: string; onUsed: () => void }) {
  const t = useText().signIn;
  const queries = useQueryClient();
  const [, go] = useLocation();
  const [error, setError] = useState<unknown>();
  const begun = useRef("");
  useEffect(() => {
    if (begun.current === token) return;
    begun.current = token;
    setError(undefined);
    signInByLink(token)
      .then((session) => {
        becomeSomebody(queries, session);
        go("/", { replace: true });
        onUsed();
      })
      .catch((caught: unknown) => {
        const dead = caught instanceof Problem && caught.status === 401;
        setError(dead ? new Problem(400, caught.code, t.linkDead) : caught);
      });
  }, [token, onUsed, queries, go, t]);
  return (
    <Gate title={t.linkTitle} lead={t.linkLead}>
      <ProblemNote error={error} />
      {error !== undefined && (
        <Button variant="default" fullWidth mt="md" onClick={onUsed}>
          {t.title}
        </Button>
      )}
    </Gate>
  );
}
