// Downloads of contacts.
import { contactsAddress } from "../../api/contacts.ts";
import { useAccountId } from "../../session/session.tsx";
import { useText } from "../../texts/index.tsx";
import { DownloadMenu } from "../../ui/download_menu.tsx";

interface ExportContactsProps {
  tags: string[]; // Only contacts with any of them; empty: all.
  searched: boolean; // The list is narrowed by a text, which no export is.
}

export function ExportContacts({ tags, searched }: ExportContactsProps) {
  const t = useText().contacts;
  const account = useAccountId();
  return (
    <DownloadMenu
      title={t.export}
      label={searched && (tags.length > 0 ? t.exportTagged : t.exportAll)}
      downloads={[
        { name: t.exportCsv, href: contactsAddress(account, tags, "csv"), file: "contacts.csv" },
        {
          name: t.exportLines,
          href: contactsAddress(account, tags, "ndjson"),
          file: "contacts.ndjson",
        },
      ]}
    />
  );
}
