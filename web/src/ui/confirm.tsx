// Confirms an irreversible action: the person types the name of the affected item.
import { Text, TextInput } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { useText } from "../texts/index.tsx";
import { FormDialog } from "./dialog.tsx";

interface ConfirmProps {
  title: string;
  text: ReactNode;
  name: string; // The text to type.
  action: string;
  opened: boolean;
  onClose: () => void;
  onConfirm: () => Promise<unknown>;
}

export function ConfirmByName(props: ConfirmProps) {
  const [typed, setTyped] = useState("");
  const close = () => {
    setTyped("");
    props.onClose();
  };
  return (
    <FormDialog
      title={props.title}
      opened={props.opened}
      onClose={close}
      action={props.action}
      onSubmit={props.onConfirm}
      disabled={typed !== props.name}
      danger
    >
      <Text size="sm">{props.text}</Text>
      <TypedName name={props.name} value={typed} onChange={setTyped} autoFocus />
    </FormDialog>
  );
}

interface TypedNameProps {
  name: string;
  value: string;
  onChange: (typed: string) => void;
  autoFocus?: boolean;
}

/** The field for the name, for forms in which only some choices are irreversible. */
export function TypedName({ name, value, onChange, autoFocus }: TypedNameProps) {
  const t = useText();
  return (
    <TextInput
      data-autofocus={autoFocus || undefined}
      label={t.common.typeToConfirm(name)}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      autoComplete="off"
      spellCheck={false}
    />
  );
}
