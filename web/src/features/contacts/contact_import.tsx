// The import of contacts from a file.
import { TagsInput } from "@mantine/core";
import { useState } from "react";
import { importContacts } from "../../api/contacts.ts";
import { useAccountId } from "../../session/session.tsx";
import { useText } from "../../texts/index.tsx";
import { ListImport } from "../../ui/list_import.tsx";
import { useRefresh } from "../../ui/refresh.ts";

export const TAGS_MAX = 32;

export function ContactImportDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const t = useText().contacts;
  const account = useAccountId();
  const [tags, setTags] = useState<string[]>([]);
  const refresh = useRefresh("contacts", "contact");
  return (
    <ListImport
      title={t.importTitle}
      lead={t.importLead}
      opened={opened}
      onClose={onClose}
      upload={(file, form, options) => importContacts(account, tags, file, form, options)}
      onEnded={refresh}
      figuresOf={(done) => [
        { name: t.rows, value: done.rows },
        { name: t.added, value: done.added },
        { name: t.merged, value: done.merged },
        { name: t.invalid, value: done.invalid, bad: done.invalid > 0 },
        { name: t.duplicate, value: done.duplicate },
      ]}
      noteOf={(done) => t.columns(done.columns.join(", "))}
    >
      <TagsInput
        label={t.tags}
        description={t.importTagsHint}
        value={tags}
        onChange={setTags}
        maxTags={TAGS_MAX}
        acceptValueOnBlur
        clearable={false}
      />
    </ListImport>
  );
}
