// Small components of pages: empty states, notes, secrets, facts, code.
import { ActionIcon, Button, CopyButton, Tooltip } from "@mantine/core";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { useText } from "../texts/index.tsx";
import { Icon, type IconName } from "./icon.tsx";
import classes from "./notes.module.css";

interface EmptyProps {
  icon: IconName;
  title: string;
  text: ReactNode;
  children?: ReactNode; // A button.
}

export function Empty({ icon, title, text, children }: EmptyProps) {
  return (
    <div className={classes.empty}>
      <span className={classes.emptyIcon}>
        <Icon name={icon} size={28} />
      </span>
      <h2 className={classes.emptyTitle}>{title}</h2>
      <p className={classes.emptyText}>{text}</p>
      {children}
    </div>
  );
}

export function EmptyFilter({ onClear }: { onClear: () => void }) {
  const t = useText();
  return (
    <Empty icon="search" title={t.common.nothingMatches} text="">
      <Button variant="default" onClick={onClear}>
        {t.common.clearFilters}
      </Button>
    </Empty>
  );
}

interface NoteProps {
  children: ReactNode;
  calm?: boolean;
  href?: string; // The page on which the reader can act.
}

export function Note({ children, calm, href }: NoteProps) {
  const t = useText();
  return (
    <div className={classes.note} data-tone={calm ? "calm" : undefined}>
      <Icon name="alert" />
      <span>{children}</span>
      {href && <Link href={href}>{t.overview.see}</Link>}
    </div>
  );
}

export function Copy({ value }: { value: string }) {
  const t = useText();
  return (
    <CopyButton value={value}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? t.common.copied : t.common.copy}>
          <ActionIcon
            variant="subtle"
            color="gray"
            size="sm"
            onClick={copy}
            aria-label={copied ? t.common.copied : t.common.copy}
          >
            <Icon name={copied ? "check" : "copy"} size={15} />
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  );
}

/** A secret that the gateway shows only once. */
export function SecretOnce({ value }: { value: string }) {
  const t = useText();
  return (
    <>
      <div className={classes.secret}>
        <code>{value}</code>
        <Copy value={value} />
      </div>
      <Note>{t.common.shownOnce}</Note>
    </>
  );
}

export function Mono({ children }: { children: string }) {
  return <span className={classes.mono}>{children}</span>;
}

/** Less important text. */
export function Quiet({ children }: { children: ReactNode }) {
  return <span className={classes.quiet}>{children}</span>;
}

/** One line of a text, with the whole text as its tooltip. */
export function OneLine({ children }: { children: string }) {
  return (
    <span className={`${classes.mono} ${classes.line}`} title={children}>
      {children}
    </span>
  );
}

export interface Fact {
  name: string;
  value: ReactNode;
}

/** Names and values; those without a value are left out. */
export function Facts({ facts }: { facts: (Fact | false | null | undefined)[] }) {
  const known = facts.filter((fact) => !!fact && fact.value !== null && fact.value !== undefined);
  return (
    <dl className={classes.facts}>
      {(known as Fact[]).flatMap((fact) => [
        <dt key={`${fact.name}-name`}>{fact.name}</dt>,
        <dd key={fact.name}>{fact.value}</dd>,
      ])}
    </dl>
  );
}

export function Code({ children }: { children: string }) {
  return <pre className={classes.code}>{children}</pre>;
}
