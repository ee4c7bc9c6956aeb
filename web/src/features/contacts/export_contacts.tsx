// Downloads of contacts.
import { Button, Menu } from "@mantine/core";
import { contactsAddress, type ListFormat } from "../../api/contacts.ts";
import { useAccountId } from "../../session/session.tsx";
import { useText } from "../../texts/index.tsx";
import { Icon } from "../../ui/icon.tsx";

interface ExportContactsProps {
  tags: string[]; // Only contacts with any of them; empty: all.
  searched: boolean; // The list is narrowed by a text, which no export is.
}

export function ExportContacts({ tags, searched }: ExportContactsProps) {
  const t = useText().contacts;
  const account = useAccountId();
  const item = (format: ListFormat, name: string) => (
    <Menu.Item
      component="a"
      href={contactsAddress(account, tags, format)}
      download={`contacts.${format}`}
    >
      {name}
    </Menu.Item>
  );
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" leftSection={<Icon name="download" size={16} />}>
          {t.export}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {searched && <Menu.Label>{tags.length > 0 ? t.exportTagged : t.exportAll}</Menu.Label>}
        {item("csv", t.exportCsv)}
        {item("ndjson", t.exportLines)}
      </Menu.Dropdown>
    </Menu>
  );
}
