// Sends the campaign's message to the person's own numbers, and follows it.
import { Button, Group, Stack } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { testCampaign } from "../../../api/campaigns.ts";
import { useText } from "../../../texts/index.tsx";
import { Panel } from "../../../ui/page.tsx";
import { ProblemNote } from "../../../ui/problem_note.tsx";
import { randomKey } from "../../../ui/random_key.ts";
import { addRecipients, type Fault } from "../../send/recipients.ts";
import { RecipientsField } from "../../send/recipients_field.tsx";
import { Results } from "../../send/results.tsx";
import type { Result } from "../../send/send_form.ts";
import type { DraftStore } from "./draft_store.ts";

type Tried = Awaited<ReturnType<typeof testCampaign>>["messages"][number];

const resultOf = ({ to, message, detail }: Tried): Result =>
  message ? { to, id: message } : { to, refusal: detail ?? "" };

export function TestSend({ id, store }: { id: string; store: DraftStore }) {
  const t = useText().draft;
  const [to, setTo] = useState<string[]>([]);
  const [typed, setTyped] = useState("");
  const [fault, setFault] = useState<Fault>();
  const [key, setKey] = useState(randomKey); // Until the gateway has answered.
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const [results, setResults] = useState<Result[]>([]);
  const change = (part: { to: string[]; typed: string }) => {
    setFault(undefined);
    setKey(randomKey());
    setTo(part.to);
    setTyped(part.typed);
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const added = addRecipients(to, typed);
    const wrong = added.fault ?? (added.to.length === 0 ? "none" : undefined);
    // Not `change`: this try and its repeats have the key of what was typed.
    setTo(added.to);
    setTyped(added.typed);
    setFault(wrong);
    if (wrong || busy) return;
    setBusy(true);
    setError(undefined);
    try {
      await store.flush();
      const { messages } = await testCampaign(id, added.to, key);
      setResults(messages.map(resultOf));
      setKey(randomKey());
    } catch (caught) {
      setError(caught);
    } finally {
      setBusy(false);
    }
  };
  const people = addRecipients(to, typed).to.length;
  return (
    <>
      <Panel>
        <form onSubmit={(event) => void submit(event)}>
          <Stack gap="sm">
            <RecipientsField to={to} typed={typed} fault={fault} onChange={change} />
            <ProblemNote error={error} />
            <Group>
              <Button type="submit" variant="default" loading={busy}>
                {t.testSend(people)}
              </Button>
            </Group>
          </Stack>
        </form>
      </Panel>
      <Results results={results} left={false} />
    </>
  );
}
