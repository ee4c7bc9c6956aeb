// Contacts by their tags.
import { TagsInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Uploaded } from "../../../api/types.ts";
import { contacts } from "../../../queries/contacts.ts";
import { useAccountId } from "../../../session/session.tsx";
import { useText } from "../../../texts/index.tsx";
import { AddForm } from "./add_form.tsx";

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
  const added = (answer: Uploaded) => {
    onAdded(answer);
    setTags([]);
  };
  return (
    <AddForm id={id} chosen={{ tags }} empty={tags.length === 0} onAdded={added}>
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
    </AddForm>
  );
}

function useKnownTags(): string[] {
  const account = useAccountId();
  const { data } = useQuery(contacts.latest(account, CONTACTS));
  return [...new Set(data?.items.flatMap((one) => one.tags))].sort();
}
