// The recipients: a field for numbers as people type them, and those that were added.
import { TextInput } from "@mantine/core";
import { type ClipboardEvent, type KeyboardEvent, useId, useRef, useState } from "react";
import { useText } from "../../texts/index.tsx";
import { Icon } from "../../ui/icon.tsx";
import { addRecipients, checkNumber, type Fault, hasSeparator } from "./recipients.ts";
import classes from "./send.module.css";

interface RecipientsFieldProps {
  to: string[];
  typed: string;
  fault: Fault | undefined; // What the form found when it was to be sent.
  onChange: (part: { to: string[]; typed: string }) => void;
}

/**
 * Checks a number while it is typed. Enter, a comma and pasting add numbers. Leaving the field does
 * not: the form would move under a click on its button, which sends to the typed number as well.
 */
export function RecipientsField({ to, typed, fault, onChange }: RecipientsFieldProps) {
  const t = useText().send;
  const field = useRef<HTMLInputElement>(null);
  const [refused, setRefused] = useState<Fault>();
  const add = (text: string) => {
    const added = addRecipients(to, text);
    setRefused(added.fault);
    onChange(added);
  };
  const type = (text: string) => {
    if (hasSeparator(text)) return add(text);
    setRefused(undefined);
    onChange({ to, typed: text });
  };
  const paste = (event: ClipboardEvent) => {
    const text = event.clipboardData.getData("text");
    // The field would join lines to one number.
    if (!hasSeparator(text)) return;
    event.preventDefault();
    add(`${typed},${text}`);
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === "Enter") {
      event.preventDefault(); // Nothing is sent by a key that adds a number.
      add(typed);
    } else if (event.key === "Backspace" && typed === "" && to.length > 0) {
      event.preventDefault();
      onChange({ to: to.slice(0, -1), typed: to.at(-1) ?? "" });
    }
  };
  const remove = (number: string) => {
    onChange({ to: to.filter((one) => one !== number), typed });
    field.current?.focus();
  };
  const checked = typed.trim() === "" ? undefined : checkNumber(typed);
  const soon = checked?.fault === "short" ? undefined : checked?.fault; // It is still being typed.
  const shown = soon ?? refused ?? fault;
  return (
    <div>
      <TextInput
        ref={field}
        label={t.to}
        description={checked?.number ? t.becomes(checked.number) : t.toHint}
        error={shown && t.faults[shown]}
        placeholder="0812-3456-7890"
        inputMode="tel"
        autoComplete="off"
        maxLength={512}
        value={typed}
        onChange={(event) => type(event.currentTarget.value)}
        onPaste={paste}
        onKeyDown={press}
      />
      <Chips to={to} onRemove={remove} />
    </div>
  );
}

function Chips({ to, onRemove }: { to: string[]; onRemove: (number: string) => void }) {
  const t = useText().send;
  const name = useId();
  if (to.length === 0) return null;
  return (
    <>
      <span id={name} className={classes.hidden}>
        {t.recipients}
      </span>
      <ul className={classes.chips} aria-labelledby={name}>
        {to.map((number) => (
          <li key={number} className={classes.chip}>
            +{number}
            <button
              type="button"
              className={classes.remove}
              aria-label={t.remove(number)}
              onClick={() => onRemove(number)}
            >
              <Icon name="close" size={14} />
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}
