// The members of an account, which its owners manage.
import { Button, Select } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { changeMember, removeMember } from "../../api/people.ts";
import type { Member, Role } from "../../api/types.ts";
import { UNANNOUNCED, usePaged } from "../../live/paged.ts";
import { people } from "../../queries/people.ts";
import { useSession } from "../../session/session.tsx";
import { useText } from "../../texts/index.tsx";
import { ConfirmByName } from "../../ui/confirm.tsx";
import { type Column, DataTable } from "../../ui/data_table.tsx";
import { Section } from "../../ui/page.tsx";
import { useNotices } from "../../ui/problem_note.tsx";
import { useRefresh } from "../../ui/refresh.ts";
import { RowMenu } from "../../ui/row_menu.tsx";
import { Ago } from "../../ui/time.tsx";
import { Invitations } from "./invitations.tsx";

export function Members({ account }: { account: string }) {
  const texts = useText();
  const t = texts.people;
  const notices = useNotices();
  const [adding, setAdding] = useDisclosure(false);
  const [leaving, setLeaving] = useState<Member>();
  const members = usePaged(people.members(account), { every: UNANNOUNCED });
  const refresh = useRefresh("members");
  const remove = async () => {
    if (leaving) await removeMember(account, leaving.email);
    notices.done(t.removed);
    await refresh();
  };
  return (
    <Section
      title={t.members}
      lead={t.membersLead}
      actions={
        <Button variant="default" onClick={setAdding.open}>
          {texts.invitation.invite}
        </Button>
      }
    >
      <DataTable
        label={t.members}
        columns={useColumns(account, setLeaving, refresh)}
        rows={members.items}
        rowKey={(one) => one.email}
        error={members.error}
        since={members.since}
        next={members.next}
        empty={null}
      />
      <Invitations account={account} inviting={adding} onInvited={setAdding.close} />
      <ConfirmByName
        title={t.removeTitle}
        text={t.removeText}
        name={leaving?.email ?? ""}
        action={t.remove}
        opened={leaving !== undefined}
        onClose={() => setLeaving(undefined)}
        onConfirm={remove}
      />
    </Section>
  );
}

function useColumns(
  account: string,
  leave: (member: Member) => void,
  refresh: () => Promise<void>,
): Column<Member>[] {
  const t = useText().people;
  const notices = useNotices();
  const { session } = useSession();
  const change = useMutation({
    mutationFn: ({ email, role }: { email: string; role: Role }) =>
      changeMember(account, email, role),
    onSuccess: () => notices.done(t.changed),
    onError: notices.failed,
    onSettled: refresh,
  });
  return [
    { key: "email", head: t.email, phone: "title", cell: (one) => one.email },
    {
      key: "role",
      head: t.role,
      narrow: true,
      phone: "mark",
      cell: (one) =>
        one.email === session.person.email ? (
          t.roles[one.role]
        ) : (
          <Select
            aria-label={`${t.role}: ${one.email}`}
            size="xs"
            w={114}
            data={(Object.keys(t.roles) as Role[]).map((value) => ({
              value,
              label: t.roles[value],
            }))}
            value={one.role}
            onChange={(role) => role && change.mutate({ email: one.email, role: role as Role })}
          />
        ),
    },
    { key: "since", head: t.since, narrow: true, cell: (one) => <Ago time={one.since} /> },
    {
      key: "remove",
      head: "",
      narrow: true,
      phone: "mark",
      cell: (one) =>
        one.email !== session.person.email && (
          <RowMenu
            of={one.email}
            actions={[{ name: t.remove, run: () => leave(one), danger: true }]}
          />
        ),
    },
  ];
}
