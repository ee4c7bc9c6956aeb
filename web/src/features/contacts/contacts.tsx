// The people whom the account keeps for campaigns; one opens beside the list.
import { Button, Group } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useState } from "react";
import { Link, useLocation, useParams } from "wouter";
import type { Contact } from "../../api/types.ts";
import { UNANNOUNCED, usePaged } from "../../live/paged.ts";
import { contacts } from "../../queries/contacts.ts";
import { useAccountId, useSession } from "../../session/session.tsx";
import { useText } from "../../texts/index.tsx";
import { type Column, DataTable } from "../../ui/data_table.tsx";
import { FilterBar } from "../../ui/filter_bar.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Empty, EmptyFilter, Mono } from "../../ui/notes.tsx";
import { Page } from "../../ui/page.tsx";
import { looksLikeNumber, phoneNumber } from "../../ui/phone_number.ts";
import { TextFilter } from "../../ui/text_filter.tsx";
import { Ago } from "../../ui/time.tsx";
import { useFilters, useWithFilters } from "../../ui/url_state.ts";
import { ContactDrawer } from "./contact_drawer.tsx";
import { ContactForm, type Editing } from "./contact_form.tsx";
import { ContactImportDialog } from "./contact_import.tsx";
import { ExportContacts } from "./export_contacts.tsx";

const FILTERS = ["text", "tag"] as const;

export default function Contacts() {
  const t = useText().contacts;
  const { can } = useSession();
  const account = useAccountId();
  const { number } = useParams<{ number?: string }>();
  const [, go] = useLocation();
  const withFilters = useWithFilters();
  const { filters, set, clear, any } = useFilters(FILTERS);
  const [editing, setEditing] = useState<Editing>();
  const [importing, setImporting] = useDisclosure(false);
  const seesAll = can("campaigns:manage"); // Others see masked numbers.
  const tags = tagsOf(filters.tag);
  const text = seesAll ? filters.text : "";
  const query = { account, text, ...(tags.length > 0 && { tag: tags }) };
  const list = usePaged(contacts.list(query), { pagesMax: 40, every: UNANNOUNCED });
  const places = new Map(list.items?.map((one, place) => [one, place]));
  const open = (one: Contact) => withFilters(`/contacts/${one.number}`);
  const actions = seesAll && (
    <>
      <Button
        variant="default"
        leftSection={<Icon name="upload" size={16} />}
        onClick={setImporting.open}
      >
        {t.import}
      </Button>
      <Button
        leftSection={<Icon name="plus" size={16} />}
        onClick={() => setEditing({ number: "" })}
      >
        {t.add}
      </Button>
    </>
  );
  return (
    <Page
      title={t.title}
      lead={t.lead}
      actions={
        (list.items?.length || any) && seesAll ? (
          <>
            <ExportContacts tags={tags} searched={text !== ""} />
            {actions}
          </>
        ) : null
      }
    >
      <FilterBar any={any} onClear={clear}>
        {seesAll && (
          <TextFilter
            label={t.search}
            value={filters.text}
            onSet={(text) => set({ text })}
            clean={searchText}
          />
        )}
        <TextFilter label={t.tag} value={filters.tag} onSet={(tag) => set({ tag })} />
      </FilterBar>
      <DataTable
        label={t.title}
        columns={useColumns(seesAll ? open : undefined)}
        rows={list.items}
        rowKey={(one) => (seesAll ? one.number : `${places.get(one)}`)}
        error={list.error}
        since={list.since}
        {...(number && { selected: number })}
        {...(seesAll && { onOpen: (one: Contact) => go(open(one)) })}
        next={list.next}
        empty={
          any ? (
            <EmptyFilter onClear={clear} />
          ) : (
            <Empty icon="contacts" title={t.empty} text={seesAll ? t.emptyText : t.emptyTextReader}>
              <Group gap="xs" justify="center">
                {actions}
              </Group>
            </Empty>
          )
        }
      />
      {seesAll && (
        <>
          <ContactDrawer
            number={number}
            onClose={() => go(withFilters("/contacts"))}
            onEdit={setEditing}
          />
          <ContactForm
            editing={editing}
            onClose={() => setEditing(undefined)}
            onSaved={(saved) => go(withFilters(`/contacts/${saved}`))}
          />
          <ContactImportDialog opened={importing} onClose={setImporting.close} />
        </>
      )}
    </Page>
  );
}

/** The tags in a filter. */
export function tagsOf(typed: string): string[] {
  return typed
    .split(",")
    .map((tag) => tag.trim())
    .filter(Boolean);
}

/** Numbers are stored in international form. */
export function searchText(typed: string): string {
  return looksLikeNumber(typed) ? phoneNumber(typed) : typed.trim();
}

function useColumns(addressOf: ((contact: Contact) => string) | undefined): Column<Contact>[] {
  const t = useText().contacts;
  return [
    {
      key: "number",
      head: t.number,
      narrow: true,
      phone: "title",
      cell: (one) =>
        addressOf ? (
          <Link href={addressOf(one)}>
            <Mono>{one.number}</Mono>
          </Link>
        ) : (
          <Mono>{one.number}</Mono>
        ),
    },
    { key: "name", head: t.name, phone: "bare", cell: (one) => one.name },
    { key: "tags", head: t.tags, cell: (one) => one.tags.join(", ") },
    { key: "consent", head: t.consent, cell: (one) => one.consent?.source },
    {
      key: "updated",
      head: t.updated,
      narrow: true,
      phone: "bare",
      cell: (one) => <Ago time={one.updated_at} />,
    },
  ];
}
