// Adds or changes a contact. If somebody else changed it meanwhile, nothing that was typed is lost:
// the form shows both, and is saved again.
import { Stack, TagsInput, Textarea, TextInput } from "@mantine/core";
import { useState } from "react";
import type { Tagged } from "../../api/client.ts";
import { putContact, readContact } from "../../api/contacts.ts";
import { Problem } from "../../api/problem.ts";
import type { Contact } from "../../api/types.ts";
import { useAccountId } from "../../session/session.tsx";
import { useText } from "../../texts/index.tsx";
import { FormDialog } from "../../ui/dialog.tsx";
import { useEdited } from "../../ui/edited.ts";
import type { ProblemOf } from "../../ui/field_problems.ts";
import { useIsShown } from "../../ui/is_shown.ts";
import { MomentField } from "../../ui/moment_field.tsx";
import { useRefresh } from "../../ui/refresh.ts";
import { checkNumber } from "../send/recipients.ts";
import {
  bodyOf,
  type Clash,
  type ContactDraft,
  draftOf,
  EMPTY_DRAFT,
  faultOf,
  mergeDrafts,
} from "./contact_draft.ts";
import { TAGS_MAX } from "./contact_import.tsx";
import classes from "./contacts.module.css";
import { ValuesField } from "./values_field.tsx";

/** What the form is opened for. */
export interface Editing {
  number: string; // Empty: the form asks for it.
  contact?: Tagged<Contact>; // None: there is no contact with this number yet.
}

interface ContactFormProps {
  editing: Editing | undefined; // Another object: the form begins anew.
  onClose: () => void;
  onSaved: (number: string) => void;
}

export function ContactForm({ editing, ...props }: ContactFormProps) {
  const [begun, setBegun] = useState({ editing, times: 0 });
  if (editing && editing !== begun.editing) setBegun({ editing, times: begun.times + 1 });
  if (!begun.editing) return null;
  return <Editor key={begun.times} editing={begun.editing} opened={Boolean(editing)} {...props} />;
}

interface Form {
  number: string;
  typed: string; // The number, where the form asks for it.
  draft: ContactDraft;
  clashes: Clash[];
}

const numberOf = ({ number, typed }: Form) => number || (checkNumber(typed).number ?? "");

const fieldsOf = (contact: Contact | undefined) => (contact ? draftOf(contact) : EMPTY_DRAFT);

type EditorProps = ContactFormProps & { editing: Editing; opened: boolean };

function Editor({ editing, opened, onClose, onSaved }: EditorProps) {
  const t = useText();
  const account = useAccountId();
  const isShown = useIsShown();
  const edited = useEdited<Tagged<Contact> | undefined, Form>({
    stored: editing.contact,
    draftOf: (contact) => ({
      number: editing.number,
      typed: "",
      draft: fieldsOf(contact),
      clashes: [],
    }),
    save: async (form, base) => {
      const number = numberOf(form);
      if (!number) throw refused(t.send.faults[checkNumber(form.typed).fault ?? "none"]);
      const fault = faultOf(form.draft);
      if (fault) throw refused(t.contacts.faults[fault]);
      return putContact(number, base?.tag, bodyOf(form.draft, account));
    },
    read: (form) => readIfThere(account, numberOf(form)),
    merge: (mine, base, present) => {
      const form = { ...mine, number: numberOf(mine), clashes: [] };
      // A contact that was removed is added again as in the form.
      if (!present) return { draft: form, problem: refused(t.contacts.gone) };
      return {
        draft: { ...form, ...mergeDrafts(fieldsOf(base), mine.draft, draftOf(present)) },
        problem: refused(base ? t.contacts.changed : t.contacts.exists),
      };
    },
    refresh: useRefresh("contacts", "contact"),
    saved: t.common.saved,
  });
  const submit = async () => {
    await edited.saveAndClose();
    if (isShown()) onSaved(numberOf(edited.draft));
  };
  return (
    <FormDialog
      title={edited.base ? t.contacts.edit : t.contacts.addTitle}
      opened={opened}
      onClose={onClose}
      action={t.common.save}
      onSubmit={submit}
    >
      {(problemOf) => <Fields form={edited.draft} onChange={edited.set} problemOf={problemOf} />}
    </FormDialog>
  );
}

const refused = (text: string) => new Problem(400, "form", text);

async function readIfThere(account: string, number: string): Promise<Tagged<Contact> | undefined> {
  try {
    return await readContact(account, number);
  } catch (error) {
    if (error instanceof Problem && error.status === 404) return undefined;
    throw error;
  }
}

interface FieldsProps {
  form: Form;
  onChange: (part: Partial<Form>) => void;
  problemOf: ProblemOf;
}

function Fields({ form, onChange, problemOf }: FieldsProps) {
  const t = useText().contacts;
  const { draft } = form;
  const set = (part: Partial<ContactDraft>) => onChange({ draft: { ...draft, ...part } });
  return (
    <>
      {form.number ? null : (
        <TextInput
          data-autofocus
          label={t.number}
          placeholder="0812-3456-7890"
          inputMode="tel"
          autoComplete="off"
          required
          withAsterisk={false}
          maxLength={64}
          value={form.typed}
          onChange={(event) => onChange({ typed: event.currentTarget.value })}
        />
      )}
      <Clashes clashes={form.clashes} />
      <TextInput
        data-autofocus={form.number ? true : undefined}
        label={t.name}
        error={problemOf("name")}
        maxLength={200}
        value={draft.name}
        onChange={(event) => set({ name: event.currentTarget.value })}
      />
      <TagsInput
        label={t.tags}
        description={t.tagsHint}
        error={problemOf("tags")}
        value={draft.tags}
        onChange={(tags) => set({ tags })}
        maxTags={TAGS_MAX}
        acceptValueOnBlur
        clearable={false}
      />
      <ValuesField
        values={draft.values}
        onChange={(values) => set({ values })}
        error={problemOf("values")}
      />
      <ConsentFields draft={draft} set={set} problemOf={problemOf} />
    </>
  );
}

interface ConsentProps {
  draft: ContactDraft;
  set: (part: Partial<ContactDraft>) => void;
  problemOf: ProblemOf;
}

function ConsentFields({ draft, set, problemOf }: ConsentProps) {
  const t = useText().contacts;
  return (
    <Stack gap="sm">
      <TextInput
        label={t.consentSource}
        description={t.consentHint}
        error={problemOf("consent.source") ?? problemOf("consent")}
        maxLength={200}
        value={draft.source}
        onChange={(event) => set({ source: event.currentTarget.value })}
      />
      <MomentField label={t.at} value={draft.at} onChange={(at) => set({ at })} />
      <Textarea
        label={t.agreed}
        description={t.agreedHint}
        autosize
        minRows={2}
        maxRows={6}
        maxLength={2000}
        value={draft.agreed}
        onChange={(event) => set({ agreed: event.currentTarget.value })}
      />
    </Stack>
  );
}

/** What others changed in the same places. */
function Clashes({ clashes }: { clashes: Clash[] }) {
  const t = useText().contacts;
  if (clashes.length === 0) return null;
  return (
    <p className={classes.clash}>
      {t.clashes}
      {clashes.map(({ field, value, theirs }) => (
        <span key={`${field} ${value}`}>
          {value ?? (field === "name" ? t.name : t.consent)}: {theirs || t.clashRemoved}
        </span>
      ))}
    </p>
  );
}
