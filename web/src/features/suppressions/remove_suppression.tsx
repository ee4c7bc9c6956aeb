// Lets campaigns reach a number again. Where the person refused, the number has to be typed: the
// record of the refusal is lost with the suppression.
import { Text } from "@mantine/core";
import { useState } from "react";
import { removeSuppression } from "../../api/contacts.ts";
import type { Suppression } from "../../api/types.ts";
import { useAccountId } from "../../session/session.tsx";
import { useText } from "../../texts/index.tsx";
import { ConfirmByName } from "../../ui/confirm.tsx";
import { FormDialog } from "../../ui/dialog.tsx";
import { useNotices } from "../../ui/problem_note.tsx";
import { useRefresh } from "../../ui/refresh.ts";

interface RemoveSuppressionProps {
  suppression: Suppression | undefined; // Undefined: the window is closed.
  onClose: () => void;
}

export function RemoveSuppression({ suppression, onClose }: RemoveSuppressionProps) {
  const t = useText().suppressions;
  const account = useAccountId();
  const notices = useNotices();
  const refresh = useRefresh("suppressions");
  const [last, setLast] = useState(suppression); // Shown while the window closes.
  if (suppression && suppression !== last) setLast(suppression);
  const number = last?.number ?? "";
  const opened = suppression !== undefined;
  const remove = async () => {
    await removeSuppression(account, number);
    notices.done(t.isRemoved);
    await refresh();
  };
  const refused = last?.reason === "opt_out";
  return (
    <>
      <ConfirmByName
        title={t.removeTitle(number)}
        text={t.removeRefused}
        name={number}
        action={t.remove}
        opened={opened && refused}
        onClose={onClose}
        onConfirm={remove}
      />
      <FormDialog
        title={t.removeTitle(number)}
        opened={opened && !refused}
        onClose={onClose}
        action={t.remove}
        onSubmit={remove}
        danger
      >
        <Text size="sm">
          {last?.reason === "unregistered" ? t.removeUnregistered : t.removeText}
        </Text>
      </FormDialog>
    </>
  );
}
