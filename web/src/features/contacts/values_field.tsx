// The values of a contact: texts by name, which messages may contain.
import { ActionIcon, Button, Input, TextInput } from "@mantine/core";
import { useText } from "../../texts/index.tsx";
import { Icon } from "../../ui/icon.tsx";
import { type NamedValue, valueRow } from "./contact_draft.ts";
import classes from "./contacts.module.css";

const VALUES_MAX = 64;

interface ValuesFieldProps {
  values: NamedValue[];
  onChange: (values: NamedValue[]) => void;
  error: string | undefined;
}

export function ValuesField({ values, onChange, error }: ValuesFieldProps) {
  const t = useText().contacts;
  const change = (id: number, part: Partial<NamedValue>) =>
    onChange(values.map((one) => (one.id === id ? { ...one, ...part } : one)));
  return (
    <Input.Wrapper label={t.values} labelElement="div" description={t.valuesHint} error={error}>
      <div className={classes.values}>
        {values.map(({ id, name, text }, place) => (
          <div key={id} className={classes.value}>
            <TextInput
              aria-label={t.valueName(place + 1)}
              placeholder={t.valueNamePlaceholder}
              maxLength={256}
              value={name}
              onChange={(event) => change(id, { name: event.currentTarget.value })}
            />
            <TextInput
              aria-label={t.valueText(name || `${place + 1}`)}
              maxLength={4096}
              value={text}
              onChange={(event) => change(id, { text: event.currentTarget.value })}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={t.removeValue(name || `${place + 1}`)}
              onClick={() => onChange(values.filter((one) => one.id !== id))}
            >
              <Icon name="close" size={16} />
            </ActionIcon>
          </div>
        ))}
        <Button
          size="xs"
          variant="default"
          disabled={values.length >= VALUES_MAX}
          onClick={() => onChange([...values, valueRow()])}
        >
          {t.addValue}
        </Button>
      </div>
    </Input.Wrapper>
  );
}
