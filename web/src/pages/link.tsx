// A sign-in link, good once. Its token stands behind the '#', which no server's log ever sees.
import { Button } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useLocation } from "wouter";
import { signInByLink } from "../api/operations.ts";
import { Problem } from "../api/problem.ts";
import { SESSION } from "../session/session.tsx";
import { useText } from "../texts/index.tsx";
import { ProblemNote } from "../ui/problem_note.tsx";
import { Gate } from "./sign_in.tsx";

export function LinkPage() {
  const t = useText().signIn;
  const queries = useQueryClient();
  const [, go] = useLocation();
  const [error, setError] = useState<unknown>();
  const begun = useRef(false);
  useEffect(() => {
    if (begun.current) return;
    begun.current = true;
    const token = location.hash.replace(/^#/, "");
    history.replaceState(null, "", location.pathname); // Not for the history, nor over a shoulder.
    signInByLink(token)
      .then((session) => {
        queries.setQueryData(SESSION, session);
        go("/", { replace: true });
      })
      .catch((caught: unknown) => {
        const dead = caught instanceof Problem && caught.status >= 400 && caught.status < 500;
        setError(dead ? new Problem(400, caught.code, t.linkDead) : caught);
      });
  }, [queries, go, t]);
  return (
    <Gate title={t.linkTitle} lead={t.linkLead}>
      <ProblemNote error={error} />
      {error !== undefined && (
        <Button variant="default" fullWidth mt="md" onClick={() => go("/", { replace: true })}>
          {t.title}
        </Button>
      )}
    </Gate>
  );
}
