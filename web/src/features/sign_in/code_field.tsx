// The field for the code of the second step.
import { TextInput } from "@mantine/core";
import { useText } from "../../texts/index.tsx";

interface CodeFieldProps {
  code: string;
  onChange: (code: string) => void;
}

export function CodeField({ code, onChange }: CodeFieldProps) {
  const t = useText();
  return (
    <TextInput
      label={t.signIn.code}
      description={t.signIn.codeHint}
      inputMode="numeric"
      autoComplete="one-time-code"
      autoFocus
      value={code}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
