// A template of the official platform: which one, its text, and what its variables stand for.
import { Select, Stack, TextInput } from "@mantine/core";
import type { MessageTemplate } from "../../../api/types.ts";
import { useText, useWords } from "../../../texts/index.tsx";
import { Code, Quiet } from "../../../ui/notes.tsx";
import { ProblemNote } from "../../../ui/problem_note.tsx";
import { needsFile, templateName, useTemplates } from "../../devices/cloud/templates.ts";
import { Columns } from "./columns.tsx";
import classes from "./draft.module.css";
import type { DraftPart } from "./draft_part.ts";
import { useInsertion } from "./insertion.ts";
import { MediaField } from "./media_field.tsx";
import {
  choosable,
  type Filling,
  filledWith,
  variablesOf,
  withTemplate,
  withText,
} from "./template_choice.ts";

const TEXT_MAX = 1024;

interface TemplateFieldProps extends DraftPart {
  device: string; // Whose business account has the templates.
}

export function TemplateField({ device, ...part }: TemplateFieldProps) {
  const { draft, refused, change } = part;
  const { t: texts, format } = useWords();
  const t = texts.draft;
  const { data, error } = useTemplates(device);
  const used = draft.template;
  const offered = choosable(data?.items ?? [], used);
  const known = offered.find((one) => used && templateName(one) === templateName(used));
  const choices = offered.map((one) => ({
    value: templateName(one),
    label: `${one.name} (${one.language})`,
  }));
  if (used && !known) {
    choices.push({ value: templateName(used), label: `${used.name} (${used.language})` });
  }
  const choose = (wanted: string | null) => {
    const template = offered.find((one) => templateName(one) === wanted);
    if (template) change(withTemplate(template, used));
  };
  return (
    <Stack gap="md">
      <Select
        label={t.template}
        description={t.templateHint}
        error={refused.template}
        data={choices}
        value={used ? templateName(used) : null}
        onChange={choose}
        nothingFoundMessage={t.templateNone}
        allowDeselect={false}
        searchable
      />
      <ProblemNote error={error} />
      {data?.more && <Quiet>{texts.common.cut(format.number(data.items.length))}</Quiet>}
      {data && offered.length === 0 && <Quiet>{t.templateNone}</Quiet>}
      {known && (
        <div>
          <p className={classes.label}>{t.templateText}</p>
          <Code>{[known.header, known.body, known.footer].filter(Boolean).join("\n\n")}</Code>
        </div>
      )}
      {used && <Fillings template={known} {...{ draft, change }} />}
      {used && (draft.media !== null || (known && needsFile(known))) && <MediaField {...part} />}
    </Stack>
  );
}

interface FillingsProps extends Pick<DraftPart, "draft" | "change"> {
  template: MessageTemplate | undefined; // Undefined: what it needs is not known.
}

/** A field for each text that the template needs. */
function Fillings({ template, draft, change }: FillingsProps) {
  const fields = useFields(template, draft.template);
  const used = draft.template;
  const write = (place: number, text: string) => {
    const field = fields[place];
    if (used && field) change(withText(used, field.filling, text));
  };
  const textAt = (place: number) => {
    const field = fields[place];
    return used && field ? filledWith(used, field.filling) : "";
  };
  const { onFocus, insert } = useInsertion(textAt, write);
  if (fields.length === 0) return null;
  return (
    <div>
      <Stack gap="sm">
        {fields.map(({ label }, place) => (
          <TextInput
            key={label}
            label={label}
            maxLength={TEXT_MAX}
            data-place={place}
            value={textAt(place)}
            onFocus={(event) => onFocus(event.currentTarget)}
            onChange={(event) => write(place, event.currentTarget.value)}
          />
        ))}
      </Stack>
      <Columns columns={draft.columns} onInsert={insert} />
    </div>
  );
}

/** By what the platform says of the template; else by what the draft has. */
function useFields(
  template: MessageTemplate | undefined,
  used: DraftPart["draft"]["template"],
): { label: string; filling: Filling }[] {
  const t = useText().draft;
  const names = template
    ? variablesOf(template.body)
    : (used?.variables ?? []).map((_, place) => String(place + 1));
  const buttons: { url: string | null }[] =
    template?.buttons ?? (used?.buttons ?? []).map(() => ({ url: null }));
  const hasHeader = template ? template.header_needs === "text" : !!used?.header;
  return [
    ...(hasHeader ? [{ label: t.templateHeader, filling: { part: "header" } as const }] : []),
    ...names.map((name, place) => ({
      label: t.templateVariable(name),
      filling: { part: "variables", place } as const,
    })),
    ...buttons.map(({ url }, place) => ({
      label: url ? t.templateAddress(url) : t.templateButton(place + 1),
      filling: { part: "buttons", place } as const,
    })),
  ];
}
