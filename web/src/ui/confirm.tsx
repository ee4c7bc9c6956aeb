// Asks before what cannot be undone: the name of what is lost has to be typed.
import { Button, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { type FormEvent, type ReactNode, useState } from "react";
import { useText } from "../texts/index.tsx";
import { ProblemNote } from "./problem_note.tsx";

interface ConfirmProps {
  title: string;
  text: ReactNode;
  name: string; // What to type.
  action: string;
  opened: boolean;
  onClose: () => void;
  onConfirm: () => Promise<unknown>;
}

export function ConfirmByName(props: ConfirmProps) {
  const t = useText();
  const [typed, setTyped] = useState("");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const close = () => {
    setTyped("");
    setError(undefined);
    props.onClose();
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    try {
      await props.onConfirm();
      close();
    } catch (caught) {
      setError(caught);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Modal
      opened={props.opened}
      onClose={close}
      title={props.title}
      closeButtonProps={{ "aria-label": t.common.close }}
    >
      <form onSubmit={submit}>
        <Stack gap="md">
          <Text size="sm">{props.text}</Text>
          <TextInput
            data-autofocus
            label={t.common.typeToConfirm(props.name)}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            autoComplete="off"
            spellCheck={false}
          />
          <ProblemNote error={error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              {t.common.cancel}
            </Button>
            <Button type="submit" color="red" disabled={typed !== props.name} loading={busy}>
              {props.action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
