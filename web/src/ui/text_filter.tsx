// A filter by a typed text.
import { TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { type FormEvent, useEffect, useRef, useState } from "react";

const PAUSE = 600; // Milliseconds without a key, after which the text is applied.

interface TextFilterProps {
  label: string;
  value: string;
  onSet: (value: string) => void;
  clean?: (typed: string) => string; // The value for a typed text.
  isComplete?: (typed: string) => boolean; // Whether a pause applies the text; default: always.
  numeric?: boolean;
}

/** Applies the text after a pause, on Enter and on blur. A pause does not change the field. */
export function TextFilter(props: TextFilterProps) {
  const { label, value, onSet, clean = trimmed, isComplete = always, numeric } = props;
  const [typed, setTyped] = useState(value);
  const applied = useRef(value);
  useEffect(() => {
    if (value === applied.current) return;
    applied.current = value;
    setTyped(value);
  }, [value]);
  const apply = (text: string) => {
    const next = clean(text);
    if (next === applied.current) return;
    applied.current = next;
    onSet(next);
  };
  const later = useDebouncedCallback(apply, PAUSE);
  const change = (text: string) => {
    setTyped(text);
    if (text === "" || isComplete(text)) later(text);
    else later.cancel();
  };
  const submit = (event?: FormEvent) => {
    event?.preventDefault();
    later.cancel();
    setTyped(clean(typed));
    apply(typed);
  };
  return (
    <form onSubmit={submit}>
      <TextInput
        aria-label={label}
        placeholder={label}
        inputMode={numeric ? "numeric" : undefined}
        maxLength={numeric ? 64 : 128}
        value={typed}
        onChange={(event) => change(event.currentTarget.value)}
        onBlur={() => submit()}
        size="xs"
      />
    </form>
  );
}

const trimmed = (text: string) => text.trim();
const always = () => true;
