// A form in a dialog.
import { Button, Group, Modal, Stack } from "@mantine/core";
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { useText } from "../texts/index.tsx";
import { fieldProblems, type ProblemOf } from "./field_problems.ts";
import { ProblemNote } from "./problem_note.tsx";

interface DialogProps {
  title: string;
  opened: boolean;
  onClose: () => void;
  action: string;
  onSubmit: () => Promise<unknown>; // Closes when it succeeds, unless `stays`.
  stays?: boolean;
  disabled?: boolean;
  danger?: boolean; // The action is irreversible.
  children: ReactNode | ((problemOf: ProblemOf) => ReactNode);
}

export function FormDialog(props: DialogProps) {
  const t = useText();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  // Mantine gives the focus back to what had it when a dialog opened after it was mounted.
  const [mounted, setMounted] = useState(false);
  useEffect(() => setMounted(true), []);
  const times = useRef(0); // That it was closed.
  const close = () => {
    times.current += 1;
    setError(undefined);
    props.onClose();
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    // An answer that comes after it was closed may find it open for something else.
    const begun = times.current;
    const isSame = () => times.current === begun;
    setBusy(true);
    setError(undefined);
    try {
      await props.onSubmit();
      if (!props.stays && isSame()) close();
    } catch (caught) {
      if (isSame()) setError(caught);
    } finally {
      setBusy(false);
    }
  };
  const fields = fieldProblems(error);
  const parts = typeof props.children === "function" ? props.children(fields.of) : props.children;
  return (
    <Modal
      opened={props.opened && mounted}
      onClose={close}
      title={props.title}
      closeButtonProps={{ "aria-label": t.common.close }}
    >
      <form onSubmit={submit}>
        <Stack gap="md">
          {parts}
          <ProblemNote error={error} fields={fields} />
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              {t.common.cancel}
            </Button>
            <Button
              type="submit"
              color={props.danger ? "red" : undefined}
              loading={busy}
              disabled={props.disabled}
            >
              {props.action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
