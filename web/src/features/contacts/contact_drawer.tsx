// One contact: name, values, tags, consent, and what can be done with it.
import { Button, Group, Skeleton, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { Link } from "wouter";
import type { Tagged } from "../../api/client.ts";
import { Problem } from "../../api/problem.ts";
import type { Contact } from "../../api/types.ts";
import { UNANNOUNCED } from "../../live/paged.ts";
import { contacts } from "../../queries/contacts.ts";
import { useAccountId, useSession } from "../../session/session.tsx";
import { useText } from "../../texts/index.tsx";
import classes from "../../ui/drawer.module.css";
import { Copy, Facts, Mono, Quiet } from "../../ui/notes.tsx";
import { ProblemNote } from "../../ui/problem_note.tsx";
import { SideDrawer } from "../../ui/side_drawer.tsx";
import { Stale } from "../../ui/stale.tsx";
import { At } from "../../ui/time.tsx";
import type { Editing } from "./contact_form.tsx";
import { type Removal, RemovalDialog } from "./removal.tsx";

interface ContactDrawerProps {
  number: string | undefined;
  onClose: () => void;
  onEdit: (editing: Editing) => void;
}

export function ContactDrawer({ number, onClose, onEdit }: ContactDrawerProps) {
  const t = useText().contacts;
  return (
    <SideDrawer opened={number !== undefined} onClose={onClose} title={t.contact} size={560}>
      {number && <ContactView key={number} number={number} onClose={onClose} onEdit={onEdit} />}
    </SideDrawer>
  );
}

function ContactView({ number, onClose, onEdit }: ContactDrawerProps & { number: string }) {
  const t = useText().contacts;
  const account = useAccountId();
  const contact = useQuery({ ...contacts.one(account, number), refetchInterval: UNANNOUNCED });
  const { error } = contact;
  const isMissing = error instanceof Problem && error.status === 404;
  const shown = isMissing ? undefined : contact.data;
  if (!shown && !isMissing)
    return error ? <ProblemNote error={error} /> : <Skeleton height={220} />;
  return (
    <Stack gap="lg">
      {shown && <Stale error={error} since={contact.dataUpdatedAt} />}
      <div className={classes.head}>
        <span className={classes.id}>
          <Mono>{number}</Mono>
          <Copy value={number} />
        </span>
        {shown?.name && <strong>{shown.name}</strong>}
      </div>
      {isMissing && <p className={classes.warning}>{t.missing}</p>}
      <Actions number={number} contact={shown} onClose={onClose} onEdit={onEdit} />
      {shown && <Parts contact={shown} />}
    </Stack>
  );
}

interface ActionsProps {
  number: string;
  contact: Tagged<Contact> | undefined;
  onClose: () => void;
  onEdit: (editing: Editing) => void;
}

function Actions({ number, contact, onClose, onEdit }: ActionsProps) {
  const t = useText().contacts;
  const { can } = useSession();
  const [asked, setAsked] = useState<Removal>();
  return (
    <div>
      <Group gap="xs">
        <Button
          size="xs"
          variant="default"
          onClick={() => onEdit({ number, ...(contact && { contact }) })}
        >
          {contact ? t.edit : t.add}
        </Button>
        {can("messages:manage") && (
          <Button size="xs" variant="default" component={Link} href={`/messages?to=${number}`}>
            {t.toMessages}
          </Button>
        )}
        {contact && (
          <Button size="xs" variant="default" onClick={() => setAsked("contact")}>
            {t.remove}
          </Button>
        )}
        <Button size="xs" variant="default" onClick={() => setAsked("everywhere")}>
          {t.removeEverywhere}
        </Button>
      </Group>
      <RemovalDialog
        number={number}
        asked={asked}
        onClose={() => setAsked(undefined)}
        onRemoved={onClose}
      />
    </div>
  );
}

function Parts({ contact }: { contact: Contact }) {
  const t = useText().contacts;
  const { consent } = contact;
  const values = Object.entries(contact.values ?? {});
  return (
    <>
      <Part title={t.tags}>
        {contact.tags.length > 0 ? <span>{contact.tags.join(", ")}</span> : <Quiet>{t.none}</Quiet>}
      </Part>
      <Part title={t.values}>
        {values.length > 0 ? (
          <Facts facts={values.map(([name, value]) => ({ name, value }))} />
        ) : (
          <Quiet>{t.none}</Quiet>
        )}
      </Part>
      <Part title={t.consent}>
        {consent ? (
          <Facts
            facts={[
              { name: t.source, value: consent.source },
              { name: t.at, value: <At time={consent.at} /> },
              consent.text !== "" && { name: t.agreed, value: consent.text },
            ]}
          />
        ) : (
          <Quiet>{t.noConsent}</Quiet>
        )}
      </Part>
      <Part title={t.facts}>
        <Facts
          facts={[
            { name: t.created, value: <At time={contact.created_at} /> },
            { name: t.updated, value: <At time={contact.updated_at} /> },
          ]}
        />
      </Part>
    </>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <h3 className={classes.part}>{title}</h3>
      {children}
    </section>
  );
}
