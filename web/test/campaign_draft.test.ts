// The fields of a draft: what they make of what a person chooses.
import { expect, test } from "vitest";
import { exclusionOf } from "../src/features/campaigns/draft/limits_fields.tsx";
import { typedNumbers } from "../src/features/campaigns/draft/numbers_field.tsx";
import { choicesOf } from "../src/features/campaigns/draft/sending.tsx";
import {
  choosable,
  variablesOf,
  withTemplate,
  withText,
} from "../src/features/campaigns/draft/template_choice.ts";
import { contentOf } from "../src/features/campaigns/draft/texts_field.tsx";
import { formatFor } from "../src/texts/format.ts";

test("pasted numbers are taken apart, and judged by the gateway alone", () => {
  expect(typedNumbers("0812 1,0813;x\n\n 0814\t0815\r\n")).toEqual([
    "0812 1",
    "0813",
    "x",
    "0814",
    "0815",
  ]);
});

test("the last variant that is left is a text again", () => {
  const variants = [{ message: "A", weight: 3 }, { message: "B" }];
  expect(contentOf(variants, true)).toEqual({
    message: null,
    variants: [
      { message: "A", weight: 3 },
      { message: "B", weight: 1 },
    ],
  });
  expect(contentOf(variants.slice(0, 1), true)).toEqual({ message: "A", variants: null });
  expect(contentOf([{ message: "" }], false)).toEqual({ message: null, variants: null });
});

test("another purpose brings what is usual for it, but not over what was chosen", () => {
  const hours = { from: "21:00", to: "06:00" };
  expect(choicesOf("transactional", { quiet_hours: hours, optout: "link" })).toMatchObject({
    quiet_hours: null,
    optout: "none",
  });
  expect(choicesOf("marketing", { quiet_hours: null, optout: "none" })).toMatchObject({
    quiet_hours: { from: "20:00", to: "08:00" },
    optout: "link",
  });
  expect(choicesOf("marketing", { quiet_hours: hours, optout: "keyword" })).toMatchObject({
    quiet_hours: hours,
    optout: "keyword",
  });
});

test("an exclusion without any part is none", () => {
  expect(exclusionOf([], undefined)).toBeNull();
  expect(exclusionOf(["cmp_1"], undefined)).toEqual({ campaigns: ["cmp_1"] });
  expect(exclusionOf([], 7)).toEqual({ contacted_within_days: 7 });
});

test("the time that a campaign needs is said in its two largest units", () => {
  const { span } = formatFor("en");
  expect(span(0)).toBe("0 seconds");
  expect(span(59.2)).toBe("60 seconds");
  expect(span(61)).toBe("2 minutes");
  expect(span(3600)).toBe("1 hour");
  expect(span(3_720)).toBe("1 hour 2 minutes");
  expect(span(90_000)).toBe("1 day 1 hour");
  expect(formatFor("id").span(7_200)).toBe("2 jam");
});

const template = {
  name: "promo",
  language: "id",
  category: "MARKETING",
  status: "APPROVED",
  header: null,
  header_needs: null,
  body: "Halo {{2}}, {{10}} dan {{1}} dan {{2}}",
  footer: null,
  variables: 3,
  buttons: [],
  fillable: true,
  body_only: true,
};

test("the variables of a template are filled by their numbers, or as their names stand", () => {
  expect(variablesOf(template.body)).toEqual(["1", "2", "10"]);
  expect(variablesOf("{{nama}} di {{kota}}, {{nama}}")).toEqual(["nama", "kota"]);
  expect(variablesOf("tanpa isian")).toEqual([]);
});

test("a chosen template replaces text and media, and keeps what was written for another", () => {
  const former = { name: "lama", language: "id", variables: ["{{nama}}"] };
  expect(withTemplate(template, former)).toEqual({
    template: {
      name: "promo",
      language: "id",
      variables: ["{{nama}}", "", ""],
      header: null,
      buttons: [],
    },
    message: null,
    variants: null,
    media: null,
  });
  expect(withText(former, { part: "variables", place: 0 }, "Kak")).toEqual({
    template: { name: "lama", language: "id", variables: ["Kak"] },
  });
});

test("header and buttons of a template have texts where it needs them, and a file stays", () => {
  const former = { name: "lama", language: "id", header: "x", buttons: ["y"] };
  const url = { place: 0, kind: "url", url: "https://a.example/{{1}}" } as const;
  const more = { ...template, header_needs: "text", buttons: [url, url] } as const;
  expect(withTemplate({ ...more, buttons: [url, url] }, former).template).toMatchObject({
    header: "x",
    buttons: ["y", ""],
  });
  const picture = withTemplate({ ...template, header_needs: "image" }, former);
  expect(picture).not.toHaveProperty("media");
  expect(picture.template?.header).toBeNull();
  expect(withText(former, { part: "header" }, "z").template?.header).toBe("z");
  const filled = withText(former, { part: "buttons", place: 1 }, "HEMAT");
  expect(filled.template?.buttons).toEqual(["y", "HEMAT"]);
});

test("only templates that can be sent are offered, and the one that the draft has", () => {
  const paused = { ...template, name: "jeda", status: "PAUSED" };
  const carousel = { ...template, name: "karusel", fillable: false };
  const first = { ...template, name: "awal", body_only: false };
  const all = [template, paused, carousel, first];
  expect(choosable(all, null)).toEqual([first, template]);
  expect(choosable(all, { name: "jeda", language: "id" })).toEqual([first, paused, template]);
});
