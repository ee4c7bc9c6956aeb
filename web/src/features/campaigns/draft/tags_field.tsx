// Contacts by their tags.
import { Button, Group, Stack, TagsInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { addRecipients } from "../../../api/campaigns.ts";
import type { Uploaded } from "../../../api/types.ts";
import { contacts } from "../../../queries/contacts.ts";
import { useAccountId } from "../../../session/session.tsx";
import { useText } from "../../../texts/index.tsx";
import { ProblemNote } from "../../../ui/problem_note.tsx";

const CONTACTS = 200; // Whose tags are offered.
const TAGS_MAX = 32;

interface FieldProps {
  id: string;
  onAdded: (answer: Uploaded) => void;
}

export function TagsField({ id, onAdded }: FieldProps) {
  const t = useText().audience;
  const known = useKnownTags();
  const [tags, setTags] = useState<string[]>([]);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      onAdded(await addRecipients(id, { tags }));
      setTags([]);
    } catch (caught) {
      setError(caught);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack gap="sm">
        <TagsInput
          label={t.tags}
          description={t.tagsHint}
          data={known}
          value={tags}
          onChange={setTags}
          maxTags={TAGS_MAX}
          acceptValueOnBlur
          clearable={false}
        />
        <ProblemNote error={error} />
        <Group>
          <Button type="submit" loading={busy} disabled={tags.length === 0}>
            {t.addNumbers}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function useKnownTags(): string[] {
  const account = useAccountId();
  const { data } = useQuery(contacts.latest(account, CONTACTS));
  return [...new Set(data?.items.flatMap((one) => one.tags))].sort();
}
