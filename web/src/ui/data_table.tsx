// A table of records. On a phone each row becomes a block: its title, and below it the other cells,
// each after its column's name.
import { Button, Skeleton } from "@mantine/core";
import type { ReactNode } from "react";
import { useWords } from "../texts/index.tsx";
import classes from "./data_table.module.css";
import { ProblemNote } from "./problem_note.tsx";
import { Stale } from "./stale.tsx";

export interface Column<Row> {
  key: string;
  head: string;
  cell: (row: Row) => ReactNode;
  align?: "right";
  narrow?: boolean; // As wide as its content.
  /** On a phone: the block's first line, that line's end, without the column's name, or hidden. */
  phone?: "title" | "mark" | "bare" | "hide";
}

/** What follows the loaded rows. */
export interface Next {
  load: () => void;
  loading: boolean;
  has: boolean;
  cut?: boolean; // There are more rows, but the list shows no more.
}

interface DataTableProps<Row> {
  label: string; // The accessible name.
  columns: Column<Row>[];
  rows: Row[] | undefined; // Undefined while they load.
  rowKey: (row: Row) => string;
  error?: unknown; // Of the latest request; the rows may be from before.
  since?: number | undefined; // When the rows were read, in milliseconds.
  empty: ReactNode;
  /** Opens a row on a click; for the keyboard, a cell of the row must have a link or button. */
  onOpen?: (row: Row) => void;
  selected?: string;
  next?: Next;
}

export function DataTable<Row>(props: DataTableProps<Row>) {
  const { columns, rows, error, empty } = props;
  const { t, format } = useWords();
  if (error && !rows) return <ProblemNote error={error} />;
  const stale = <Stale error={error} since={props.since} />;
  if (rows?.length === 0 && !props.next?.has) {
    return (
      <>
        {stale}
        {empty}
      </>
    );
  }
  return (
    <div className={classes.frame}>
      {stale}
      <table
        className={classes.table}
        aria-label={props.label}
        aria-busy={!rows}
        data-compact={columns.some(({ phone }) => phone === "title") || undefined}
      >
        <thead>
          <tr>
            {columns.map((column) => (
              <th
                key={column.key}
                scope="col"
                data-align={column.align}
                data-narrow={column.narrow || undefined}
              >
                {column.head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows
            ? rows.map((row) => <BodyRow key={props.rowKey(row)} row={row} {...props} />)
            : null}
          {!rows && <SkeletonRows columns={columns.length} />}
        </tbody>
      </table>
      {props.next?.has && (
        <div className={classes.more}>
          <Button
            variant="default"
            size="xs"
            loading={props.next.loading}
            onClick={props.next.load}
          >
            {t.common.more}
          </Button>
        </div>
      )}
      {props.next?.cut && (
        <p className={classes.cut}>{t.common.cut(format.number(rows?.length ?? 0))}</p>
      )}
    </div>
  );
}

function BodyRow<Row>({ row, ...props }: DataTableProps<Row> & { row: Row }) {
  const { onOpen } = props;
  return (
    <tr
      data-opens={onOpen ? true : undefined}
      data-selected={props.selected === props.rowKey(row) || undefined}
      onClick={(event) => {
        const target = event.target as HTMLElement;
        if (onOpen && !target.closest("a,button,input,label")) onOpen(row);
      }}
    >
      {props.columns.map((column) => (
        <td
          key={column.key}
          data-label={column.head}
          data-align={column.align}
          data-narrow={column.narrow || undefined}
          data-phone={column.phone}
        >
          {column.cell(row)}
        </td>
      ))}
    </tr>
  );
}

function SkeletonRows({ columns }: { columns: number }) {
  const widths = ["70%", "45%", "60%", "50%", "65%", "40%"];
  return widths.map((_, row) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: rows that stand for nothing.
    <tr key={row}>
      {Array.from({ length: columns }, (_unused, column) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: as above.
        <td key={column}>
          <Skeleton height={10} width={widths[(row + column) % widths.length]} radius="xl" my={6} />
        </td>
      ))}
    </tr>
  ));
}
