// Shows a secret that the gateway shows only once; closes when the reader confirms having copied
// it.
import { Button, Group, Modal, Stack } from "@mantine/core";
import { useText } from "../texts/index.tsx";
import { Note, SecretOnce } from "./notes.tsx";

interface SecretDialogProps {
  title: string;
  value: string | undefined; // Undefined: the dialog is closed.
  text?: string;
  onClose: () => void;
}

export function SecretDialog({ title, value, text, onClose }: SecretDialogProps) {
  const t = useText();
  return (
    <Modal
      opened={value !== undefined}
      onClose={onClose}
      title={title}
      closeOnClickOutside={false}
      withCloseButton={false}
    >
      <Stack gap="md">
        <SecretOnce value={value ?? ""} />
        {text && <Note calm>{text}</Note>}
        <Group justify="flex-end">
          <Button onClick={onClose}>{t.keys.done}</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
