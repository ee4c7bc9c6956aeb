// The templates of a business account.
import { freshId } from "./number.ts";
import { refuse } from "./errors.ts";

export interface Template {
  name: string;
  language: string;
  category?: string;
  status?: string; // Default: APPROVED.
  body: string; // With {{1}} or {{name}} for variables.
  named?: boolean;
  header?: string;
  copies?: boolean; // A button copies its variable, which is a one-time code.
}

const textMax = 1024;
const codeMax = 15;
const pageMax = 100;

interface Kept extends Template {
  id: string;
}

export class Templates {
  private readonly byAccount = new Map<string, Kept[]>();

  add(waba: string, template: Template): void {
    const kept = this.byAccount.get(waba) ?? [];
    this.byAccount.set(waba, kept);
    kept.push({ ...template, id: freshId() });
  }

  /** Templates of the account whose names sort after the cursor's. */
  page(waba: string, query: URLSearchParams, self: string): object {
    const name = query.get("name");
    const kept = (this.byAccount.get(waba) ?? []).filter((each) => !name || each.name === name);
    const limit = Math.min(Number(query.get("limit") ?? 25), pageMax);
    const after = query.get("after");
    const from = after ? kept.findIndex(({ id }) => cursor(id) === after) + 1 : 0;
    if (after && from === 0) refuse(100, "Param after is not a valid cursor.");
    const items = kept.slice(from, from + limit);
    const last = items.at(-1);
    if (!items[0] || !last) return { data: [] };
    const cursors = { before: cursor(items[0].id), after: cursor(last.id) };
    const more = from + items.length < kept.length;
    const next = { next: `${self}?limit=${limit}&after=${cursors.after}` };
    return { data: items.map(shown), paging: { cursors, ...(more && next) } };
  }

  /** The text of a template with its variables; refuses what the platform refuses. */
  fill(waba: string, template: Record<string, any>): string {
    const { name, language, components = [], ...rest } = template;
    if (Object.keys(rest).length > 0) refuse(100, `Unexpected key on param template: ${rest}`);
    const found = (this.byAccount.get(waba) ?? []).find(
      (each) => each.name === name && each.language === language?.code,
    );
    if (!found) refuse(132001, `template name (${name}) does not exist in ${language?.code}`);
    const kept = found as Kept;
    if (kept.status === "PAUSED") refuse(132015, "The template is paused.");
    if ((kept.status ?? "APPROVED") !== "APPROVED") refuse(132001, "It is not approved.");
    const body = components.find((each: any) => each.type === "body");
    const buttons = components.filter((each: any) => each.type === "button");
    if (components.some((each: any) => each !== body && !buttons.includes(each))) {
      refuse(132012, "components: only body and buttons");
    }
    checkButtons(kept, buttons, body);
    const values: any[] = body?.parameters ?? [];
    const names = variables(kept.body);
    if (values.length !== names.length) {
      refuse(132000, `number of localizable_params (${values.length}) does not match`);
    }
    let text = kept.body;
    names.forEach((each, index) => {
      const value = values[index];
      if (value?.type !== "text" || typeof value.text !== "string" || value.text === "") {
        refuse(132012, "A parameter of the body is not a text.");
      }
      if (kept.named && value.parameter_name !== each) {
        refuse(100, "Parameter name is missing or empty");
      }
      if (/[\n\t]| {5}/.test(value.text)) {
        refuse(132007, "Param text cannot have new-line/tab characters or more than 4 spaces");
      }
      text = text.replace(`{{${each}}}`, () => value.text);
    });
    if ([...text].length > textMax) refuse(132005, "The text with its variables is too long.");
    return text;
  }
}

/** The button of a one-time code has the code of the body, and no other button has anything. */
function checkButtons(template: Kept, buttons: any[], body: any): void {
  if (!template.copies) {
    if (buttons.length > 0) refuse(132012, "No button of this template has parameters.");
    return;
  }
  const code = body?.parameters?.[0]?.text;
  if (buttons.length !== 1) refuse(131008, "The parameter of the button is missing.");
  const [{ sub_type: kind, index, parameters }] = buttons;
  const right =
    kind === "url" && index === "0" && parameters?.length === 1 && parameters[0].type === "text";
  if (!right || parameters[0].text !== code) refuse(132012, "The button does not have the code.");
  if ([...code].length > codeMax) refuse(131009, "The code is too long.");
}

function cursor(id: string): string {
  return Buffer.from(`c${id}`).toString("base64");
}

function variables(body: string): string[] {
  return [...body.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name!);
}

// The platform lists the button of a one-time code so.
const copyButton = {
  type: "URL",
  text: "Salin kode",
  url: "https://www.whatsapp.com/otp/code/?otp_type=COPY_CODE&code=otp{{1}}",
};

function shown(template: Kept): object {
  const names = variables(template.body);
  const example = template.named
    ? { body_text_named_params: names.map((param_name) => ({ param_name, example: "x" })) }
    : { body_text: [names.map(() => "x")] };
  return {
    name: template.name,
    parameter_format: template.named ? "NAMED" : "POSITIONAL",
    components: [
      ...(template.header ? [{ type: "HEADER", format: "TEXT", text: template.header }] : []),
      { type: "BODY", text: template.body, ...(names.length > 0 && { example }) },
      { type: "FOOTER", text: "Toko Merpati" },
      ...(template.copies ? [{ type: "BUTTONS", buttons: [copyButton] }] : []),
    ],
    language: template.language,
    status: template.status ?? "APPROVED",
    category: template.category ?? (template.copies ? "AUTHENTICATION" : "UTILITY"),
    id: template.id,
  };
}
