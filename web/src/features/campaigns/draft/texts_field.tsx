// One text, or several among which recipients are shared by weight. Columns are inserted at the
// caret of the text that was edited last.
import { Button, Group, NumberInput, Textarea } from "@mantine/core";
import type { ReactNode } from "react";
import type { Campaign } from "../../../api/types.ts";
import { useText, useWords } from "../../../texts/index.tsx";
import { charactersOf } from "../../send/send_form.ts";
import { Columns } from "./columns.tsx";
import classes from "./draft.module.css";
import type { DraftPart } from "./draft_part.ts";
import { useInsertion } from "./insertion.ts";

const VARIANTS_MAX = 5;
const WEIGHT_MAX = 1000;

type Variant = NonNullable<Campaign["variants"]>[number];

export function TextsField({ draft, refused, change }: DraftPart) {
  const t = useText().draft;
  const variants = draft.variants ?? [{ message: draft.message ?? "" }];
  const set = (next: Variant[]) => change(contentOf(next, draft.variants !== null));
  const write = (place: number, message: string) =>
    set(variants.map((one, index) => (index === place ? { ...one, message } : one)));
  const { onFocus, insert } = useInsertion((place) => variants[place]?.message ?? "", write);
  const isOne = draft.variants === null;
  return (
    <div>
      {variants.map((variant, place) => (
        <OneText
          // biome-ignore lint/suspicious/noArrayIndexKey: variants are known by their place.
          key={place}
          label={isOne ? t.text : t.variant(place + 1)}
          place={place}
          variant={variant}
          error={place === 0 ? (refused.message ?? refused.variants) : undefined}
          onFocus={onFocus}
          onChange={(message) => write(place, message)}
        >
          {!isOne && (
            <Weight
              variant={variant}
              place={place}
              onChange={(weight) =>
                set(variants.map((one, index) => (index === place ? { ...one, weight } : one)))
              }
              onRemove={() => set(variants.filter((_, index) => index !== place))}
            />
          )}
        </OneText>
      ))}
      <Columns columns={draft.columns} onInsert={insert} />
      {variants.length < VARIANTS_MAX && (
        <Button
          variant="default"
          size="xs"
          mt="sm"
          onClick={() => change(contentOf([...variants, copyOf(variants)], true))}
        >
          {t.addVariant}
        </Button>
      )}
    </div>
  );
}

/** A new variant begins as a copy, because an empty one cannot be kept. */
function copyOf(variants: Variant[]): Variant {
  return { message: variants.at(-1)?.message ?? "", weight: 1 };
}

/** The fields of the texts. A single one is no variant, unless a person is changing variants. */
export function contentOf(texts: Variant[], asVariants: boolean) {
  const [only, ...others] = texts;
  if (asVariants && others.length > 0) {
    const variants = texts.map((one) => ({ message: one.message, weight: one.weight ?? 1 }));
    return { message: null, variants };
  }
  return { message: only?.message || null, variants: null };
}

interface OneTextProps {
  label: string;
  place: number;
  variant: Variant;
  error: string | undefined;
  onFocus: (field: HTMLTextAreaElement) => void;
  onChange: (text: string) => void;
  children: ReactNode;
}

function OneText({ label, place, variant, error, onFocus, onChange, children }: OneTextProps) {
  const { t: texts, format } = useWords();
  const t = texts.draft;
  return (
    <div className={classes.text}>
      <Textarea
        label={label}
        description={`${t.textHint} ${t.count(format.number(charactersOf(variant.message)))}`}
        inputWrapperOrder={["label", "input", "description", "error"]}
        error={error}
        autosize
        minRows={5}
        maxRows={16}
        data-place={place}
        value={variant.message}
        onFocus={(event) => onFocus(event.currentTarget)}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      {children}
    </div>
  );
}

interface WeightProps {
  variant: Variant;
  place: number;
  onChange: (weight: number) => void;
  onRemove: () => void;
}

function Weight({ variant, place, onChange, onRemove }: WeightProps) {
  const t = useText().draft;
  return (
    <Group align="flex-end" gap="sm" mt={6}>
      <NumberInput
        label={`${t.weight} ${place + 1}`}
        description={place === 0 ? t.weightHint : undefined}
        min={1}
        max={WEIGHT_MAX}
        clampBehavior="strict"
        allowDecimal={false}
        value={variant.weight ?? 1}
        onChange={(value) => onChange(Number(value) || 1)}
        hideControls
      />
      <Button variant="default" onClick={onRemove}>
        {t.removeVariant(place + 1)}
      </Button>
    </Group>
  );
}
