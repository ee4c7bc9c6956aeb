// What a draft gets of a template that a person chooses and fills.
import type { Campaign, MessageTemplate } from "../../../api/types.ts";
import { canBeSent, needsFile } from "../../devices/cloud/templates.ts";
import type { Fields } from "./draft_edits.ts";

type Used = NonNullable<Campaign["template"]>;
type Chosen = Pick<MessageTemplate, "name" | "language" | "body" | "header_needs" | "buttons">;

/** A text that a person writes for the template. */
export type Filling = { part: "variables" | "buttons"; place: number } | { part: "header" };

/** The variables of a template's text, in the order in which they are filled: by their numbers, or
 * as their names stand in it. */
export function variablesOf(body: string): string[] {
  const names = [...new Set([...body.matchAll(/\{\{([^{}]+)\}\}/g)].map(([, name]) => name ?? ""))];
  const numbered = names.every((name) => /^\d+$/.test(name));
  return numbered ? names.toSorted((one, other) => Number(one) - Number(other)) : names;
}

/** The fields of a draft with this template. What was written for another one stays, as far as it
 * has a place. */
export function withTemplate(template: Chosen, former: Used | null): Partial<Fields> {
  const { name, language, body } = template;
  const used = {
    name,
    language,
    variables: variablesOf(body).map((_, place) => former?.variables?.[place] ?? ""),
    header: template.header_needs === "text" ? (former?.header ?? "") : null,
    buttons: template.buttons.map((_, place) => former?.buttons?.[place] ?? ""),
  };
  const none = { message: null, variants: null };
  return { template: used, ...none, ...(!needsFile(template) && { media: null }) };
}

export function filledWith(used: Used, filling: Filling): string {
  return (filling.part === "header" ? used.header : used[filling.part]?.[filling.place]) ?? "";
}

/** The same template with another text. */
export function withText(used: Used, filling: Filling, text: string): Partial<Fields> {
  if (filling.part === "header") return { template: { ...used, header: text } };
  const texts = [...(used[filling.part] ?? [])];
  texts[filling.place] = text;
  return { template: { ...used, [filling.part]: texts } };
}

/** Those that a campaign can send, by name; and the one that it has, whatever has become of it. */
export function choosable(all: readonly MessageTemplate[], used: Used | null): MessageTemplate[] {
  const isUsed = (one: MessageTemplate) =>
    one.name === used?.name && one.language === used.language;
  return all
    .filter((one) => canBeSent(one) || isUsed(one))
    .toSorted((one, other) => one.name.localeCompare(other.name));
}
