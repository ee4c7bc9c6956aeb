// Numbers that a person types or pastes.
import { Textarea } from "@mantine/core";
import { useState } from "react";
import type { Uploaded } from "../../../api/types.ts";
import { useText } from "../../../texts/index.tsx";
import { AddForm } from "./add_form.tsx";

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
  const numbers = typedNumbers(text);
  const added = (answer: Uploaded) => {
    onAdded(answer);
    setText("");
  };
  return (
    <AddForm id={id} chosen={{ numbers }} empty={numbers.length === 0} onAdded={added}>
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
    </AddForm>
  );
}
