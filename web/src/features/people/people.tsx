// All people who may sign in to the server, for administrators.
import { Button, Select, Switch, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useState } from "react";
import { createPerson, makeLink, removePerson, removeSecondStep } from "../../api/people.ts";
import type { Person, Role } from "../../api/types.ts";
import { UNANNOUNCED, usePaged } from "../../live/paged.ts";
import { people as peopleQueries } from "../../queries/people.ts";
import { useAllAccounts, useSession } from "../../session/session.tsx";
import { useText } from "../../texts/index.tsx";
import { ConfirmByName } from "../../ui/confirm.tsx";
import { type Column, DataTable } from "../../ui/data_table.tsx";
import { FormDialog } from "../../ui/dialog.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Quiet } from "../../ui/notes.tsx";
import { Page } from "../../ui/page.tsx";
import { useNotices } from "../../ui/problem_note.tsx";
import { useRefresh } from "../../ui/refresh.ts";
import { RowMenu } from "../../ui/row_menu.tsx";
import { SecretDialog } from "../../ui/secret_dialog.tsx";
import { useRoleChoices } from "../account/role_choices.ts";

const CHOICES_MAX = 50; // Accounts that match the typed text.

/** A secret that is shown once: a link, or the password of a new person. */
interface Made {
  title: string;
  value: string;
  text: string;
}

export default function People() {
  const t = useText();
  const notices = useNotices();
  const [adding, setAdding] = useDisclosure(false);
  const [leaving, setLeaving] = useState<Person>();
  const [weakened, setWeakened] = useState<Person>();
  const [made, setMade] = useState<Made>();
  const people = usePaged(peopleQueries.list(), { every: UNANNOUNCED });
  const refresh = useRefresh("people");
  const link = async (person: Person) => {
    try {
      const { url } = await makeLink(person.id);
      setMade({ title: t.people.linkMade, value: url, text: t.people.linkText });
    } catch (error) {
      notices.failed(error);
    }
  };
  const weaken = async () => {
    if (weakened) await removeSecondStep(weakened.id);
    notices.done(t.people.secondStepIsOff);
    await refresh();
  };
  const remove = async () => {
    if (leaving) await removePerson(leaving.id);
    notices.done(t.people.removed);
    await refresh();
  };
  return (
    <Page
      title={t.people.title}
      lead={t.people.lead}
      actions={
        <Button leftSection={<Icon name="plus" size={16} />} onClick={setAdding.open}>
          {t.people.add}
        </Button>
      }
    >
      <DataTable
        label={t.people.title}
        columns={useColumns(link, setWeakened, setLeaving)}
        rows={people.items}
        rowKey={(one) => one.id}
        error={people.error}
        since={people.since}
        next={people.next}
        empty={null}
      />
      <AddPerson
        opened={adding}
        onClose={setAdding.close}
        onMade={(password) => {
          void refresh();
          if (password) setMade({ title: t.people.passwordMade, value: password, text: "" });
        }}
      />
      <ConfirmByName
        title={t.people.deleteTitle}
        text={t.people.deleteText}
        name={leaving?.email ?? ""}
        action={t.people.delete}
        opened={leaving !== undefined}
        onClose={() => setLeaving(undefined)}
        onConfirm={remove}
      />
      <ConfirmByName
        title={t.people.secondStepOff}
        text={t.people.secondStepOffText}
        name={weakened?.email ?? ""}
        action={t.people.secondStepOff}
        opened={weakened !== undefined}
        onClose={() => setWeakened(undefined)}
        onConfirm={weaken}
      />
      <SecretDialog
        title={made?.title ?? ""}
        value={made?.value}
        text={made?.text}
        onClose={() => setMade(undefined)}
      />
    </Page>
  );
}

function useColumns(
  link: (person: Person) => Promise<void>,
  weaken: (person: Person) => void,
  leave: (person: Person) => void,
): Column<Person>[] {
  const t = useText();
  const { session } = useSession();
  const accounts = useAllAccounts();
  const nameOf = (id: string) => accounts.find((one) => one.id === id)?.name ?? id;
  const places = (person: Person) => [
    ...(person.admin ? [t.people.admin] : []),
    ...person.memberships.map((one) => `${nameOf(one.account)} (${t.people.roles[one.role]})`),
  ];
  return [
    { key: "email", head: t.people.email, phone: "title", cell: (one) => one.email },
    {
      key: "accounts",
      head: t.people.memberships,
      cell: (one) => places(one).join(", ") || t.people.none,
    },
    {
      key: "totp",
      head: t.people.secondStep,
      narrow: true,
      cell: (one) => (one.totp ? t.common.yes : <Quiet>{t.common.no}</Quiet>),
    },
    {
      key: "actions",
      head: "",
      narrow: true,
      phone: "mark",
      cell: (one) => (
        <RowMenu
          of={one.email}
          actions={[
            { name: t.people.link, run: () => void link(one) },
            one.totp && { name: t.people.secondStepOff, run: () => weaken(one), danger: true },
            one.id !== session.person.id && {
              name: t.people.delete,
              run: () => leave(one),
              danger: true,
            },
          ]}
        />
      ),
    },
  ];
}

interface AddPersonProps {
  opened: boolean;
  onClose: () => void;
  onMade: (password: string | undefined) => void;
}

function AddPerson({ opened, onClose, onMade }: AddPersonProps) {
  const t = useText();
  const accounts = useAllAccounts();
  const [email, setEmail] = useState("");
  const [admin, setAdmin] = useState(false);
  const [account, setAccount] = useState<string | null>(null);
  const [role, setRole] = useState<Role>("owner");
  const roles = useRoleChoices();
  const submit = async () => {
    const membership = account && !admin ? { account, role } : {};
    const person = await createPerson({ email, admin, ...membership });
    setEmail("");
    onMade(person.password);
  };
  return (
    <FormDialog
      title={t.people.add}
      opened={opened}
      onClose={onClose}
      action={t.people.add}
      onSubmit={submit}
    >
      {(problemOf) => (
        <>
          <TextInput
            data-autofocus
            label={t.people.email}
            error={problemOf("email")}
            type="email"
            required
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
          <Switch
            label={t.people.admin}
            checked={admin}
            onChange={(event) => setAdmin(event.currentTarget.checked)}
          />
          {!admin && (
            <>
              <Select
                label={t.shell.account}
                data={accounts.map((one) => ({ value: one.id, label: one.name }))}
                value={account}
                onChange={setAccount}
                limit={CHOICES_MAX}
                searchable
                clearable
              />
              <Select
                label={t.people.role}
                data={roles}
                value={role}
                onChange={(value) => setRole((value ?? "owner") as Role)}
              />
            </>
          )}
        </>
      )}
    </FormDialog>
  );
}
