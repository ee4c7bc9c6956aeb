// What a draft gets of a template that a person chooses and fills.
import type { Campaign, MessageTemplate } from "../../../api/types.ts";
import { canBeSent } from "../../devices/cloud/templates.ts";
import type { Fields } from "./draft_edits.ts";

type Used = NonNullable<Campaign["template"]>;
type Chosen = Pick<MessageTemplate, "name" | "language" | "body">;

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
  const variables = variablesOf(body).map((_, place) => former?.variables?.[place] ?? "");
  return { template: { name, language, variables }, message: null, variants: null, media: null };
}

/** The same template with another text for one of its variables. */
export function withVariable(used: Used, place: number, text: string): Partial<Fields> {
  const variables = [...(used.variables ?? [])];
  variables[place] = text;
  return { template: { ...used, variables } };
}

/** Those that a campaign can send, by name; and the one that it has, whatever has become of it. */
export function choosable(all: readonly MessageTemplate[], used: Used | null): MessageTemplate[] {
  const isUsed = (one: MessageTemplate) =>
    one.name === used?.name && one.language === used.language;
  return all
    .filter((one) => canBeSent(one) || isUsed(one))
    .toSorted((one, other) => one.name.localeCompare(other.name));
}
