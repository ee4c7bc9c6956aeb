// Invitations to an account: making one, whose link is shown once, and revoking those not accepted.
import { Select, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { invite, revokeInvitation } from "../../api/people.ts";
import type { Invitation, Role } from "../../api/types.ts";
import { UNANNOUNCED } from "../../live/paged.ts";
import { people } from "../../queries/people.ts";
import { useText } from "../../texts/index.tsx";
import { type Column, DataTable } from "../../ui/data_table.tsx";
import { FormDialog } from "../../ui/dialog.tsx";
import { Quiet } from "../../ui/notes.tsx";
import { Section } from "../../ui/page.tsx";
import { useNotices } from "../../ui/problem_note.tsx";
import { useRefresh } from "../../ui/refresh.ts";
import { RowMenu } from "../../ui/row_menu.tsx";
import { SecretDialog } from "../../ui/secret_dialog.tsx";
import { At } from "../../ui/time.tsx";
import { useRoleChoices } from "./role_choices.ts";

interface InvitationsProps {
  account: string;
  inviting: boolean;
  onInvited: () => void; // Or the person gave up.
}

export function Invitations({ account, inviting, onInvited }: InvitationsProps) {
  const t = useText().invitation;
  const refresh = useRefresh("invitations");
  const [made, setMade] = useState<{ email: string; url: string }>();
  const invitations = useQuery({
    ...people.invitations(account),
    refetchInterval: UNANNOUNCED,
  });
  const make = async (email: string, role: Role) => {
    const { url } = await invite({ account, email, role });
    setMade({ email, url });
    await refresh();
  };
  const columns = useColumns(make);
  return (
    <>
      {invitations.data?.items.length ? (
        <Section title={t.open}>
          <DataTable
            label={t.open}
            columns={columns}
            rows={invitations.data.items}
            rowKey={(one) => one.id}
            error={invitations.error}
            since={invitations.dataUpdatedAt}
            empty={null}
          />
        </Section>
      ) : null}
      <Invite opened={inviting} onClose={onInvited} onInvite={make} />
      <SecretDialog
        title={t.made}
        value={made?.url}
        text={made && t.madeText(made.email)}
        onClose={() => setMade(undefined)}
      />
    </>
  );
}

function useColumns(make: (email: string, role: Role) => Promise<void>): Column<Invitation>[] {
  const t = useText();
  const notices = useNotices();
  const refresh = useRefresh("invitations");
  const revoke = async (one: Invitation) => {
    try {
      await revokeInvitation(one.id);
      notices.done(t.invitation.revoked);
    } catch (error) {
      notices.failed(error);
    }
    await refresh();
  };
  return [
    { key: "email", head: t.people.email, phone: "title", cell: (one) => one.email },
    { key: "role", head: t.people.role, narrow: true, cell: (one) => t.people.roles[one.role] },
    {
      key: "by",
      head: t.invitation.by,
      narrow: true,
      cell: (one) => one.invited_by ?? <Quiet>{t.common.none}</Quiet>,
    },
    {
      key: "expires",
      head: t.invitation.expires,
      narrow: true,
      cell: (one) => <At time={one.expires_at} />,
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
            {
              name: t.invitation.again,
              run: () => void make(one.email, one.role).catch(notices.failed),
            },
            { name: t.invitation.revoke, run: () => void revoke(one), danger: true },
          ]}
        />
      ),
    },
  ];
}

interface InviteProps {
  opened: boolean;
  onClose: () => void;
  onInvite: (email: string, role: Role) => Promise<void>;
}

function Invite({ opened, onClose, onInvite }: InviteProps) {
  const t = useText();
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<Role>("operator");
  const roles = useRoleChoices();
  const submit = async () => {
    await onInvite(email, role);
    setEmail("");
  };
  return (
    <FormDialog
      title={t.invitation.invite}
      opened={opened}
      onClose={onClose}
      action={t.invitation.invite}
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
          <Select
            label={t.people.role}
            error={problemOf("role")}
            data={roles}
            value={role}
            onChange={(value) => setRole((value ?? "operator") as Role)}
          />
        </>
      )}
    </FormDialog>
  );
}
