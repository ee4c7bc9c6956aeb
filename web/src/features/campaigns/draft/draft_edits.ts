// What a person has changed in a draft and the gateway does not have yet.
import type { Campaign, CampaignChange } from "../../../api/types.ts";

/** The fields of a campaign that the pages of a draft change. */
export type Field = keyof CampaignChange;

export type Fields = Pick<Campaign, Field>;

interface Edit {
  was: unknown; // The stored value that the person saw and changed.
  value: unknown;
  refused?: string; // Why the gateway does not take this value.
}

/** Immutable. Each function answers new edits. */
export type Edits = Partial<Record<Field, Edit>>;

const equal = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/** The draft as the person sees it. */
export function shownWith(stored: Campaign, edits: Edits): Campaign {
  const values = Object.entries(edits).map(([field, edit]) => [field, edit.value]);
  return { ...stored, ...Object.fromEntries(values) };
}

export function changed(edits: Edits, stored: Campaign, part: Partial<Fields>): Edits {
  const next = { ...edits };
  for (const [field, value] of Object.entries(part) as [Field, unknown][]) {
    next[field] = { was: edits[field] ? edits[field].was : stored[field], value };
  }
  return next;
}

/** The fields that somebody else has changed to another value meanwhile. */
export function conflictsOf(edits: Edits, stored: Campaign): Field[] {
  return fieldsOf(edits).filter((field) => {
    const edit = edits[field] as Edit;
    return !equal(stored[field], edit.was) && !equal(stored[field], edit.value);
  });
}

/** What can be saved now: neither refused nor in conflict. Undefined: nothing. */
export function unsavedOf(edits: Edits, stored: Campaign): CampaignChange | undefined {
  const conflicts = conflictsOf(edits, stored);
  const fields = fieldsOf(edits).filter((field) => {
    const edit = edits[field] as Edit;
    return !conflicts.includes(field) && !edit.refused;
  });
  if (fields.length === 0) return undefined;
  return Object.fromEntries(fields.map((field) => [field, (edits[field] as Edit).value]));
}

/** After `sent` was stored: what the person has changed since remains. */
export function withoutSaved(edits: Edits, sent: CampaignChange, stored: Campaign): Edits {
  const next: Edits = {};
  for (const field of fieldsOf(edits)) {
    const edit = edits[field] as Edit;
    if (!(field in sent)) next[field] = edit;
    else if (!equal(edit.value, sent[field])) next[field] = { ...edit, was: stored[field] };
  }
  return next;
}

/** After the draft was read again: what it has already is no edit any more. */
export function withoutEqual(edits: Edits, stored: Campaign): Edits {
  const left = fieldsOf(edits).filter((field) => !equal(edits[field]?.value, stored[field]));
  return Object.fromEntries(left.map((field) => [field, edits[field]]));
}

export function withRefusals(edits: Edits, refused: Partial<Record<Field, string>>): Edits {
  const next = { ...edits };
  for (const [field, why] of Object.entries(refused) as [Field, string][]) {
    const edit = next[field];
    if (edit) next[field] = { ...edit, refused: why };
  }
  return next;
}

/** The person has decided that theirs holds: it is based on the stored value now. */
export function withMine(edits: Edits, stored: Campaign): Edits {
  const next = { ...edits };
  for (const field of conflictsOf(edits, stored)) {
    next[field] = { ...(next[field] as Edit), was: stored[field] };
  }
  return next;
}

/** The person takes the stored values. */
export function withTheirs(edits: Edits, stored: Campaign): Edits {
  const conflicts = conflictsOf(edits, stored);
  const left = fieldsOf(edits).filter((field) => !conflicts.includes(field));
  return Object.fromEntries(left.map((field) => [field, edits[field]]));
}

export const fieldsOf = (edits: Edits) => Object.keys(edits) as Field[];

interface Mistake {
  field: string; // Like `media.url`.
  message: string;
}

/** Which of the sent fields a refusal is about. One that names none is about all of them. */
export function refusalsOf(
  sent: CampaignChange,
  mistakes: readonly Mistake[],
  text: string,
): Partial<Record<Field, string>> {
  const fields = Object.keys(sent) as Field[];
  const found: Partial<Record<Field, string>> = {};
  for (const { field, message } of mistakes) {
    const name = field.split(/[.[]/)[0] as Field;
    if (fields.includes(name)) found[name] ??= message;
  }
  if (Object.keys(found).length > 0) return found;
  const named = fields.filter((field) => text.includes(`'${field}'`));
  return Object.fromEntries((named.length > 0 ? named : fields).map((field) => [field, text]));
}
