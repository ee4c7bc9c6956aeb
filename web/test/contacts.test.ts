// Contacts: the form, and two people who change the same contact.
import { expect, test } from "vitest";
import {
  bodyOf,
  type ContactDraft,
  draftOf,
  EMPTY_DRAFT,
  faultOf,
  mergeDrafts,
  valueRow,
} from "../src/features/contacts/contact_draft.ts";
import { searchText } from "../src/features/contacts/contacts.tsx";

const consent = { source: "formulir", at: "2026-11-01T00:00:00.000Z", text: "Ya" };
const stored = {
  name: "Ani",
  values: { kota: "Bandung", poin: "7" },
  tags: ["baru", "vip"],
  consent,
};
const base = draftOf(stored);

const valued = (...values: [string, string][]) =>
  values.map(([name, text]) => valueRow(name, text));
const textsOf = ({ values }: ContactDraft) => values.map(({ name, text }) => [name, text]);

test("a form that nobody touched saves what was stored", () => {
  expect(bodyOf(base, "acc_1")).toEqual({ ...stored, account: "acc_1" });
  expect(bodyOf(draftOf({ name: null, values: {}, tags: [], consent: null }), "acc_1")).toEqual({
    account: "acc_1",
    name: null,
    values: {},
    tags: [],
    consent: null,
  });
});

test("a form says what it could not save", () => {
  const of = (part: Partial<ContactDraft>) => faultOf({ ...base, ...part });
  expect(of({})).toBeUndefined();
  expect(of({ values: valued(["kota", "a"], [" kota ", "b"]) })).toBe("twice");
  expect(of({ values: valued(["", "Bandung"]) })).toBe("unnamed");
  expect(of({ values: valued(["", ""]) })).toBeUndefined();
  expect(of({ source: " " })).toBe("source");
  expect(of({ source: "", at: "", agreed: "" })).toBeUndefined();
});

test("changes of two people to different things are both kept", () => {
  const mine = { ...base, name: "Ani S.", tags: ["vip", "lama"], values: valued(["kota", "Solo"]) };
  const theirs = draftOf({
    ...stored,
    values: { kota: "Bandung", poin: "7", kelas: "emas" },
    tags: ["baru", "vip", "solo"],
    consent: { ...consent, text: "Ya, tentu" },
  });
  const { draft, clashes } = mergeDrafts(base, mine, theirs);
  expect(clashes).toEqual([]);
  expect(draft).toMatchObject({
    name: "Ani S.",
    agreed: "Ya, tentu",
    tags: ["vip", "solo", "lama"],
  });
  expect(textsOf(draft)).toEqual([
    ["kota", "Solo"],
    ["kelas", "emas"],
  ]);
});

test("of two changes to the same, the own one stays in the form, the other one is named", () => {
  const mine = { ...base, name: "Ani S.", source: "toko", values: valued(["kota", "Solo"]) };
  const theirs = draftOf({
    name: "Ani Sari",
    values: { kota: "Bogor", poin: "8" },
    tags: [],
    consent: null,
  });
  const { draft, clashes } = mergeDrafts(base, mine, theirs);
  expect(draft).toMatchObject({ name: "Ani S.", source: "toko", tags: [] });
  expect(textsOf(draft)).toEqual([["kota", "Solo"]]);
  expect(clashes).toEqual([
    { field: "value", value: "kota", theirs: "Bogor" },
    { field: "value", value: "poin", theirs: "8" },
    { field: "name", theirs: "Ani Sari" },
    { field: "consent", theirs: "" },
  ]);
});

test("a new contact that is already there gets what was typed, and keeps the rest", () => {
  const typed = { ...EMPTY_DRAFT, name: "Ani", tags: ["promo"], values: valued(["", "?"]) };
  const { draft, clashes } = mergeDrafts(EMPTY_DRAFT, typed, base);
  expect(clashes).toEqual([]);
  expect(draft.tags).toEqual(["baru", "vip", "promo"]);
  expect(textsOf(draft)).toEqual([
    ["kota", "Bandung"],
    ["poin", "7"],
    ["", "?"],
  ]);
});

test.each([
  ["0812-3456-7890", "6281234567890"],
  ["3456", "3456"],
  [" Ani 3 ", "Ani 3"],
])("'%s' is searched as '%s'", (typed, text) => {
  expect(searchText(typed)).toBe(text);
});
