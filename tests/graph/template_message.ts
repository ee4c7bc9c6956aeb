// A message that is a template: what it fills, judged against what the template has.
import { refuse } from "./errors.ts";
import type { Media } from "./media.ts";
import type { BusinessNumber } from "./number.ts";
import type { Template } from "./templates.ts";

const textMax = 1024;
const codeMax = 15; // Of one-time codes and of coupons.

interface Given {
  template: Template;
  owner: BusinessNumber;
  media: Media;
}

/** The text of the body with its variables; refuses what the platform refuses. */
export function filledBody(given: Given, components: any[]): string {
  const one = (type: string) => {
    const found = components.filter((each) => each.type === type);
    if (found.length > 1) refuse(132012, `components: more than one ${type}`);
    return found[0];
  };
  const header = one("header");
  const body = one("body");
  const buttons = components.filter((each) => each.type === "button");
  if (components.length !== buttons.length + (header ? 1 : 0) + (body ? 1 : 0)) {
    refuse(132012, "components: only header, body and buttons");
  }
  const { template } = given;
  if (template.file) checkFile(given, template.file, header?.parameters ?? []);
  else filled("header", template, template.header ?? "", header?.parameters ?? []);
  if (template.copies) checkCode(buttons, body);
  else checkButtons(template, buttons);
  const text = filled("body", template, template.body, body?.parameters ?? []);
  if ([...text].length > textMax) refuse(132005, "The text with its variables is too long.");
  return text;
}

/** The names of the variables of a text, in its order. */
export function variables(text: string): string[] {
  return [...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name!);
}

function filled(part: string, template: Template, source: string, values: any[]): string {
  const names = variables(source);
  if (values.length !== names.length) {
    const counts = `(${values.length}) does not match the expected number (${names.length})`;
    refuse(132000, `${part}: number of localizable_params ${counts}`);
  }
  let text = source;
  names.forEach((each, index) => {
    const value = values[index];
    if (value?.type !== "text" || typeof value.text !== "string" || value.text === "") {
      refuse(132012, `A parameter of the ${part} is not a text.`);
    }
    if (template.named && value.parameter_name !== each) {
      refuse(100, "Parameter name is missing or empty");
    }
    if (/[\n\t]| {5}/.test(value.text)) {
      refuse(132007, "Param text cannot have new-line/tab characters or more than 4 spaces");
    }
    text = text.replace(`{{${each}}}`, () => value.text);
  });
  return text;
}

function checkFile({ owner, media }: Given, file: string, values: any[]): void {
  const kind = file.toLowerCase();
  const [value] = values;
  if (values.length !== 1 || value.type !== kind) {
    const received = String(value?.type ?? "unknown").toUpperCase();
    refuse(132012, `header: Format mismatch, expected ${file}, received ${received}`);
  }
  const { id, link, filename, ...others } = value[kind] ?? {};
  if ((typeof id === "string") === (typeof link === "string")) {
    refuse(100, `Param ${kind} needs exactly one of id and link.`);
  }
  if (Object.keys(others).length > 0 || (filename !== undefined && kind !== "document")) {
    refuse(100, `Unexpected key on ${kind}.`);
  }
  if (typeof id === "string") media.check(owner, kind, id);
}

/** The button of a one-time code has the code of the body. */
function checkCode(buttons: any[], body: any): void {
  const code = body?.parameters?.[0]?.text;
  if (buttons.length !== 1) refuse(131008, "The parameter of the button is missing.");
  const [{ sub_type: kind, index, parameters }] = buttons;
  const right =
    kind === "url" && index === "0" && parameters?.length === 1 && parameters[0].type === "text";
  if (!right || parameters[0].text !== code) refuse(132012, "The button does not have the code.");
  if ([...code].length > codeMax) refuse(131009, "The code is too long.");
}

/** Each button that needs a text has exactly one, and no other button has any. */
function checkButtons(template: Template, given: any[]): void {
  const all = template.buttons ?? [];
  const needs = all.map(({ type, url }) =>
    type === "COPY_CODE" ? "copy_code" : variables(url ?? "").length > 0 ? "url" : undefined,
  );
  for (const { index, sub_type: kind } of given) {
    if (needs[Number(index)] !== kind) {
      refuse(132012, `buttons: Button at index ${index} has no parameter of type ${kind}`);
    }
  }
  needs.forEach((kind, place) => {
    if (!kind) return;
    const [one, more] = given.filter(({ index }) => String(index) === String(place));
    if (!one || more || one.parameters?.length !== 1) {
      refuse(131008, `buttons: Button at index ${place} of type ${kind} requires a parameter`);
    }
    const [{ type, text, coupon_code: code }] = one.parameters;
    if (kind === "url") {
      if (type !== "text" || typeof text !== "string" || text === "") {
        refuse(132012, `buttons: The parameter of the button at index ${place} is not a text.`);
      }
    } else if (type !== "coupon_code" || typeof code !== "string" || code === "") {
      refuse(132012, `buttons: The parameter of the button at index ${place} is not a coupon.`);
    } else if ([...code].length > codeMax) {
      refuse(131009, "The coupon code is too long.");
    }
  });
}
