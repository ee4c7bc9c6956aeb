// A template of the official platform: which one, its text, and what its variables stand for.
import { Select, Stack, TextInput } from "@mantine/core";
import { useText, useWords } from "../../../texts/index.tsx";
import { Code, Quiet } from "../../../ui/notes.tsx";
import { ProblemNote } from "../../../ui/problem_note.tsx";
import { templateName, useTemplates } from "../../devices/cloud/templates.ts";
import { Columns } from "./columns.tsx";
import classes from "./draft.module.css";
import type { DraftPart } from "./draft_part.ts";
import { useInsertion } from "./insertion.ts";
import { choosable, variablesOf, withTemplate, withVariable } from "./template_choice.ts";

const VARIABLE_MAX = 1024;

interface TemplateFieldProps extends DraftPart {
  device: string; // Whose business account has the templates.
}

export function TemplateField({ device, draft, refused, change }: TemplateFieldProps) {
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
          <Code>{known.body}</Code>
        </div>
      )}
      {used && <Variables names={known && variablesOf(known.body)} {...{ draft, change }} />}
    </Stack>
  );
}

interface VariablesProps extends Pick<DraftPart, "draft" | "change"> {
  names: string[] | undefined; // Undefined: the template's text is not known.
}

function Variables({ names, draft, change }: VariablesProps) {
  const t = useText().draft;
  const used = draft.template;
  const filled = used?.variables ?? [];
  const write = (place: number, text: string) => {
    if (used) change(withVariable(used, place, text));
  };
  const { onFocus, insert } = useInsertion((place) => filled[place] ?? "", write);
  const shown = names ?? filled.map((_, place) => String(place + 1));
  if (shown.length === 0) return null;
  return (
    <div>
      <Stack gap="sm">
        {shown.map((name, place) => (
          <TextInput
            key={name}
            label={t.templateVariable(name)}
            maxLength={VARIABLE_MAX}
            data-place={place}
            value={filled[place] ?? ""}
            onFocus={(event) => onFocus(event.currentTarget)}
            onChange={(event) => write(place, event.currentTarget.value)}
          />
        ))}
      </Stack>
      <Columns columns={draft.columns} onInsert={insert} />
    </div>
  );
}
