// The servers that share the gateway's database.
import type { ServerNode } from "../../api/types.ts";
import { useWords } from "../../texts/index.tsx";
import { type Column, DataTable } from "../../ui/data_table.tsx";
import { OneLine } from "../../ui/notes.tsx";
import { State, type Tone } from "../../ui/state.tsx";
import { Ago } from "../../ui/time.tsx";

const TONES: Record<ServerNode["state"], Tone> = { up: "good", leaving: "busy", gone: "calm" };

/** None unless several servers share the database; those that serve most first, gone ones last. */
export function nodesToShow(nodes: ServerNode[]): ServerNode[] {
  if (nodes.length < 2) return [];
  const isGone = ({ state }: ServerNode) => Number(state === "gone");
  return nodes.toSorted((a, b) => isGone(a) - isGone(b) || b.accounts - a.accounts);
}

export function Nodes({ nodes }: { nodes: ServerNode[] }) {
  const { t } = useWords();
  return (
    <DataTable
      label={t.admin.nodes}
      columns={useColumns(nodes)}
      rows={nodes}
      rowKey={(node) => node.name}
      empty={null}
    />
  );
}

function useColumns(nodes: ServerNode[]): Column<ServerNode>[] {
  const { t, format } = useWords();
  const columns: Column<ServerNode>[] = [
    {
      key: "name",
      head: t.admin.name,
      phone: "title",
      cell: ({ name }) => <OneLine>{name}</OneLine>,
    },
    {
      key: "state",
      head: t.admin.state,
      phone: "mark",
      cell: ({ state }) => <State tone={TONES[state]}>{t.admin.nodeStates[state]}</State>,
    },
    {
      key: "accounts",
      head: t.admin.accountCount,
      align: "right",
      cell: ({ accounts }) => format.number(accounts),
    },
    { key: "version", head: t.admin.version, cell: ({ version }) => version },
    { key: "seen", head: t.admin.nodeSeen, cell: (node) => <Ago time={node.seen_at} /> },
  ];
  if (nodes.every(({ address }) => address === "")) return columns;
  return [
    ...columns,
    {
      key: "address",
      head: t.admin.nodeAddress,
      cell: ({ address }) => <OneLine>{address}</OneLine>,
    },
  ];
}
