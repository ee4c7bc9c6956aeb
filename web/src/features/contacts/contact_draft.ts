// A contact as its form has it, and what becomes of the form when somebody else changed the
// contact first.
import type { Contact, NewContact } from "../../api/types.ts";

export interface NamedValue {
  id: number; // Of its row in the form.
  name: string;
  text: string;
}

export interface ContactDraft {
  name: string;
  tags: string[];
  values: NamedValue[];
  source: string; // Of the consent; empty, with `at` and `agreed`: none.
  at: string;
  agreed: string; // The text of the consent.
}

let rows = 0;

export function valueRow(name = "", text = ""): NamedValue {
  rows += 1;
  return { id: rows, name, text };
}

export const EMPTY_DRAFT: ContactDraft = {
  name: "",
  tags: [],
  values: [],
  source: "",
  at: "",
  agreed: "",
};

type Stored = Pick<Contact, "name" | "values" | "tags" | "consent">;

export function draftOf({ name, values, tags, consent }: Stored): ContactDraft {
  return {
    name: name ?? "",
    tags: [...tags],
    values: Object.entries(values ?? {}).map(([one, text]) => valueRow(one, text)),
    source: consent?.source ?? "",
    at: consent?.at ?? "",
    agreed: consent?.text ?? "",
  };
}

export type Fault = "unnamed" | "twice" | "source";

/** What the gateway would refuse, or what would be lost; undefined: nothing. */
export function faultOf(draft: ContactDraft): Fault | undefined {
  const names = draft.values.map(({ name }) => name.trim());
  if (draft.values.some(({ name, text }) => !name.trim() && text)) return "unnamed";
  const given = names.filter(Boolean);
  if (new Set(given).size < given.length) return "twice";
  if (!draft.source.trim() && (draft.at || draft.agreed.trim())) return "source";
  return undefined;
}

export function bodyOf(draft: ContactDraft, account: string): NewContact {
  const source = draft.source.trim();
  const { at } = draft;
  return {
    account,
    name: draft.name.trim() || null,
    tags: draft.tags,
    values: Object.fromEntries(textsOf(draft)),
    consent: source ? { source, text: draft.agreed.trim(), ...(at && { at }) } : null,
  };
}

/** A field that two people changed in different ways. */
export interface Clash {
  field: "name" | "consent" | "value";
  value?: string; // The name of the value.
  theirs: string; // Empty: removed.
}

export interface Merged {
  draft: ContactDraft;
  clashes: Clash[]; // The form has the reader's own text; the other one is shown beside it.
}

/**
 * The reader's changes, and those of others since `base` was read. Where both changed the same, the
 * reader's stay in the form.
 */
export function mergeDrafts(base: ContactDraft, mine: ContactDraft, theirs: ContactDraft): Merged {
  const clashes: Clash[] = [];
  const values = mergeValues(base, mine, theirs, clashes);
  const name = chosen(base.name, mine.name, theirs.name);
  if (name.clash) clashes.push({ field: "name", theirs: theirs.name });
  const consent = chosen(consentText(base), consentText(mine), consentText(theirs));
  if (consent.clash) clashes.push({ field: "consent", theirs: shownConsent(theirs) });
  const { source, at, agreed } = consent.isMine ? mine : theirs;
  const tags = mergeTags(base.tags, mine.tags, theirs.tags);
  const draft = { name: name.isMine ? mine.name : theirs.name, tags, values, source, at, agreed };
  return { draft, clashes };
}

function chosen(base: string, mine: string, theirs: string) {
  const isMine = mine !== base;
  return { isMine, clash: isMine && theirs !== base && theirs !== mine };
}

function mergeTags(base: string[], mine: string[], theirs: string[]): string[] {
  const kept = theirs.filter((tag) => mine.includes(tag) || !base.includes(tag));
  return [...new Set([...kept, ...mine.filter((tag) => !base.includes(tag))])];
}

function mergeValues(
  base: ContactDraft,
  mine: ContactDraft,
  theirs: ContactDraft,
  clashes: Clash[],
): NamedValue[] {
  const [before, own, other] = [base, mine, theirs].map((one) => new Map(textsOf(one)));
  const names = [...new Set([...(own?.keys() ?? []), ...(other?.keys() ?? [])])];
  const merged = names.flatMap((name) => {
    const [first, my, their] = [before?.get(name), own?.get(name), other?.get(name)];
    const isMine = my !== first;
    if (isMine && their !== first && their !== my) {
      clashes.push({ field: "value", value: name, theirs: their ?? "" });
    }
    const text = isMine ? my : their;
    return text === undefined ? [] : [valueRow(name, text)];
  });
  // Rows without a name are not finished.
  return [...merged, ...mine.values.filter(({ name }) => !name.trim())];
}

const textsOf = ({ values }: ContactDraft): [string, string][] =>
  values.filter(({ name }) => name.trim()).map(({ name, text }) => [name.trim(), text]);

const consentText = ({ source, at, agreed }: ContactDraft) => JSON.stringify([source, at, agreed]);

const shownConsent = ({ source, agreed }: ContactDraft) =>
  [source, agreed].filter(Boolean).join(": ");
