// The account's messages, filtered by the address; a message opens beside the list.
import { Button, Group } from "@mantine/core";
import { Link, useLocation, useParams } from "wouter";
import { exportAddress, type MessageQuery } from "../../api/messages.ts";
import type { Message } from "../../api/types.ts";
import { usePaged } from "../../live/paged.ts";
import { messages } from "../../queries/messages.ts";
import { useAccountId, useSession } from "../../session/session.tsx";
import { useText, useWords } from "../../texts/index.tsx";
import { type Column, DataTable } from "../../ui/data_table.tsx";
import { type Download, DownloadMenu } from "../../ui/download_menu.tsx";
import { Icon } from "../../ui/icon.tsx";
import { MessageState } from "../../ui/message_state.tsx";
import { Empty, EmptyFilter, Mono } from "../../ui/notes.tsx";
import { Page } from "../../ui/page.tsx";
import { Ago } from "../../ui/time.tsx";
import { useFilters, useWithFilters } from "../../ui/url_state.ts";
import { useAllDevices } from "../devices/all_devices.ts";
import { MessageDrawer } from "./message_drawer.tsx";
import { FILTERS, MessageFilters, queryOf } from "./message_filters.tsx";
import { outcomeOf } from "./message_outcome.ts";

export default function Messages() {
  const t = useText();
  const account = useAccountId();
  const { id } = useParams<{ id?: string }>();
  const [, go] = useLocation();
  const withFilters = useWithFilters();
  const { filters, set, clear, any } = useFilters(FILTERS);
  const query = queryOf(account, filters);
  const list = usePaged(messages.list(query), { pagesMax: 40 });
  return (
    <Page title={t.messages.title} lead={t.messages.lead} actions={<Actions query={query} />}>
      <MessageFilters filters={filters} set={set} clear={clear} any={any} />
      <DataTable
        label={t.messages.title}
        columns={useColumns((one) => withFilters(`/messages/${one.id}`))}
        rows={list.items}
        rowKey={(one) => one.id}
        error={list.error}
        since={list.since}
        selected={id}
        onOpen={(one) => go(withFilters(`/messages/${one.id}`))}
        next={list.next}
        empty={any ? <EmptyFilter onClear={clear} /> : <NoMessages />}
      />
      <MessageDrawer id={id} onClose={() => go(withFilters("/messages"))} />
    </Page>
  );
}

function useColumns(addressOf: (message: Message) => string): Column<Message>[] {
  const words = useWords();
  const { t } = words;
  const all = useAllDevices().data;
  const devices = new Map(all?.items.map((one) => [one.number, one]));
  return [
    {
      key: "when",
      head: t.messages.when,
      narrow: true,
      phone: "bare",
      cell: (one) => <Ago time={one.accepted_at} />,
    },
    {
      key: "to",
      head: t.messages.to,
      narrow: true,
      phone: "title",
      cell: (one) => (
        <Link href={addressOf(one)}>
          <Mono>{one.to}</Mono>
        </Link>
      ),
    },
    {
      key: "state",
      head: t.messages.state,
      narrow: true,
      phone: "mark",
      cell: (one) => <MessageState state={one.state} />,
    },
    {
      key: "details",
      head: t.messages.details,
      phone: "bare",
      cell: (one) => outcomeOf(one, devices.get(one.from), words),
    },
    {
      key: "from",
      head: t.messages.from,
      narrow: true,
      phone: "bare",
      cell: (one) => <Mono>{one.from}</Mono>,
    },
    {
      key: "type",
      head: t.messages.type,
      narrow: true,
      phone: "hide",
      cell: (one) => t.messages.types[one.type] ?? one.type,
    },
  ];
}

function Actions({ query }: { query: MessageQuery }) {
  const t = useText().messages;
  const { can } = useSession();
  return (
    <>
      <Export query={query} />
      {can("send") && (
        <Button component={Link} href="/send" leftSection={<Icon name="send" size={16} />}>
          {t.write}
        </Button>
      )}
    </>
  );
}

function Export({ query }: { query: MessageQuery }) {
  const t = useText().messages;
  const download = (format: "csv" | "ndjson", name: string): Download => ({
    name,
    href: exportAddress({ ...query, format }),
    file: `messages.${format}`,
  });
  return (
    <DownloadMenu
      title={t.export}
      downloads={[download("csv", t.exportCsv), download("ndjson", t.exportLines)]}
    />
  );
}

function NoMessages() {
  const t = useText().messages;
  const { can } = useSession();
  if (!can("send")) return <Empty icon="messages" title={t.empty} text={t.emptyTextReader} />;
  return (
    <Empty icon="messages" title={t.empty} text={t.emptyText}>
      <Group gap="xs" justify="center">
        <Button component={Link} href="/send">
          {t.write}
        </Button>
        <Button component={Link} href="/developers" variant="default">
          {t.forPrograms}
        </Button>
      </Group>
    </Empty>
  );
}
