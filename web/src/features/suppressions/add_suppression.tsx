// Keeps campaigns from a number.
import { Radio, Stack, TextInput } from "@mantine/core";
import { useState } from "react";
import { putSuppression } from "../../api/contacts.ts";
import { Problem } from "../../api/problem.ts";
import { useAccountId } from "../../session/session.tsx";
import { useText } from "../../texts/index.tsx";
import { FormDialog } from "../../ui/dialog.tsx";
import { useNotices } from "../../ui/problem_note.tsx";
import { useRefresh } from "../../ui/refresh.ts";
import { checkNumber } from "../send/recipients.ts";

const REASONS = ["opt_out", "manual"] as const;
type Reason = (typeof REASONS)[number];

export function AddSuppression({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const texts = useText();
  const t = texts.suppressions;
  const account = useAccountId();
  const notices = useNotices();
  const refresh = useRefresh("suppressions");
  const [typed, setTyped] = useState("");
  const [reason, setReason] = useState<Reason>("manual");
  const submit = async () => {
    const { number, fault } = checkNumber(typed);
    if (!number) throw new Problem(400, "form", texts.send.faults[fault ?? "none"]);
    await putSuppression(account, number, reason);
    setTyped("");
    setReason("manual");
    notices.done(t.isAdded);
    await refresh();
  };
  return (
    <FormDialog
      title={t.addTitle}
      opened={opened}
      onClose={onClose}
      action={t.add}
      onSubmit={submit}
    >
      <TextInput
        data-autofocus
        label={t.number}
        placeholder="0812-3456-7890"
        inputMode="tel"
        autoComplete="off"
        required
        withAsterisk={false}
        maxLength={64}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      <Radio.Group label={t.reason} value={reason} onChange={(value) => setReason(value as Reason)}>
        <Stack gap={8} mt={6}>
          {REASONS.map((one) => (
            <Radio key={one} value={one} label={t.why[one]} size="xs" />
          ))}
        </Stack>
      </Radio.Group>
    </FormDialog>
  );
}
