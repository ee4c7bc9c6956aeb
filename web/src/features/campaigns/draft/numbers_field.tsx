// Numbers that a person types or pastes.
import { Button, Group, Stack, Textarea } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { addRecipients } from "../../../api/campaigns.ts";
import type { Uploaded } from "../../../api/types.ts";
import { useText } from "../../../texts/index.tsx";
import { ProblemNote } from "../../../ui/problem_note.tsx";

/** Each number as it was typed: the gateway judges it. */
export function typedNumbers(text: string): string[] {
  return text
    .split(/[,;\n\r\t]+/)
    .map((one) => one.trim())
    .filter((one) => one !== "");
}

interface FieldProps {
  id: string;
  onAdded: (answer: Uploaded) => void;
}

export function NumbersField({ id, onAdded }: FieldProps) {
  const t = useText().audience;
  const [text, setText] = useState("");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const numbers = typedNumbers(text);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      onAdded(await addRecipients(id, { numbers }));
      setText("");
    } catch (caught) {
      setError(caught);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack gap="sm">
        <Textarea
          label={t.numbers}
          description={t.numbersHint}
          autosize
          minRows={5}
          maxRows={12}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          autoComplete="off"
          spellCheck={false}
        />
        <ProblemNote error={error} />
        <Group>
          <Button type="submit" loading={busy} disabled={numbers.length === 0}>
            {t.addNumbers}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
