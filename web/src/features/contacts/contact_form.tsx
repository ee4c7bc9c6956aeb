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
import type { ProblemOf } from "../../ui/field_problems.ts";
import { MomentField } from "../../ui/moment_field.tsx";
import { useNotices } from "../../ui/problem_note.tsx";
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

interface Form {
  number: string;
  typed: string; // The number, where the form asks for it.
  tag: string | undefined; // Of `base`; undefined: there was no contact.
  base: ContactDraft; // As it was read.
  draft: ContactDraft;
  clashes: Clash[];
}

function formOf({ number, contact }: Editing): Form {
  const base = contact ? draftOf(contact) : EMPTY_DRAFT;
  return { number, typed: "", tag: contact?.tag, base, draft: base, clashes: [] };
}

export function ContactForm({ editing, onClose, onSaved }: ContactFormProps) {
  const t = useText();
  const account = useAccountId();
  const notices = useNotices();
  const refresh = useRefresh("contacts", "contact");
  const [begun, setBegun] = useState(editing);
  const [form, setForm] = useState(() => formOf({ number: "" }));
  if (editing && editing !== begun) {
    setBegun(editing);
    setForm(formOf(editing));
  }
  const submit = async () => {
    const number = form.number || checkNumber(form.typed).number;
    if (!number) throw refused(t.send.faults[checkNumber(form.typed).fault ?? "none"]);
    const fault = faultOf(form.draft);
    if (fault) throw refused(t.contacts.faults[fault]);
    try {
      await putContact(number, form.tag, bodyOf(form.draft, account));
    } catch (error) {
      if (!(error instanceof Problem) || error.status !== 412) throw error;
      const present = await readIfThere(account, number);
      setForm(merged(form, number, present));
      throw refused(
        present ? (form.tag ? t.contacts.changed : t.contacts.exists) : t.contacts.gone,
      );
    }
    notices.done(t.common.saved);
    onSaved(number);
    await refresh();
  };
  return (
    <FormDialog
      title={form.tag ? t.contacts.edit : t.contacts.addTitle}
      opened={editing !== undefined}
      onClose={onClose}
      action={t.common.save}
      onSubmit={submit}
    >
      {(problemOf) => <Fields form={form} onChange={setForm} problemOf={problemOf} />}
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

/** The form with what is stored now. A contact that was removed is added again as in the form. */
function merged(form: Form, number: string, present: Tagged<Contact> | undefined): Form {
  if (!present) return { ...form, number, tag: undefined, base: EMPTY_DRAFT, clashes: [] };
  const base = draftOf(present);
  return { ...form, number, tag: present.tag, base, ...mergeDrafts(form.base, form.draft, base) };
}

interface FieldsProps {
  form: Form;
  onChange: (form: Form) => void;
  problemOf: ProblemOf;
}

function Fields({ form, onChange, problemOf }: FieldsProps) {
  const t = useText().contacts;
  const { draft } = form;
  const set = (part: Partial<ContactDraft>) => onChange({ ...form, draft: { ...draft, ...part } });
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
          onChange={(event) => onChange({ ...form, typed: event.currentTarget.value })}
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
