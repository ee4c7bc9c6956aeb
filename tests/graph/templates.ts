// The templates of a business account.
import { type BusinessNumber, freshId } from "./number.ts";
import { refuse } from "./errors.ts";
import type { Media } from "./media.ts";
import { filledBody, variables } from "./template_message.ts";

export interface Template {
  name: string;
  language: string;
  category?: string;
  status?: string; // Default: APPROVED.
  body: string; // With {{1}} or {{name}} for variables.
  named?: boolean;
  header?: string; // With {{1}} or {{name}} for its variable.
  file?: "IMAGE" | "VIDEO" | "DOCUMENT"; // In its header, in place of a text.
  buttons?: Button[];
  copies?: boolean; // A button copies its variable, which is a one-time code.
}

export interface Button {
  type: "URL" | "COPY_CODE" | "QUICK_REPLY";
  text?: string;
  url?: string; // With {{1}} at its end, if it differs between messages.
}

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
  fill(owner: BusinessNumber, template: Record<string, any>, media: Media): string {
    const { name, language, components = [], ...rest } = template;
    if (Object.keys(rest).length > 0) refuse(100, `Unexpected key on param template: ${rest}`);
    const found = (this.byAccount.get(owner.waba) ?? []).find(
      (each) => each.name === name && each.language === language?.code,
    );
    if (!found) refuse(132001, `template name (${name}) does not exist in ${language?.code}`);
    const kept = found as Kept;
    if (kept.status === "PAUSED") refuse(132015, "The template is paused.");
    if ((kept.status ?? "APPROVED") !== "APPROVED") refuse(132001, "It is not approved.");
    return filledBody({ template: kept, owner, media }, components);
  }
}

function cursor(id: string): string {
  return Buffer.from(`c${id}`).toString("base64");
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
  const buttons = template.copies ? [copyButton] : (template.buttons ?? []).map(shownButton);
  return {
    name: template.name,
    parameter_format: template.named ? "NAMED" : "POSITIONAL",
    components: [
      ...shownHeader(template),
      { type: "BODY", text: template.body, ...(names.length > 0 && { example }) },
      { type: "FOOTER", text: "Toko Merpati" },
      ...(buttons.length > 0 ? [{ type: "BUTTONS", buttons }] : []),
    ],
    language: template.language,
    status: template.status ?? "APPROVED",
    category: template.category ?? (template.copies ? "AUTHENTICATION" : "UTILITY"),
    id: template.id,
  };
}

function shownHeader({ header, file }: Kept): object[] {
  if (file) {
    return [{ type: "HEADER", format: file, example: { header_handle: ["https://a.example/x"] } }];
  }
  return header ? [{ type: "HEADER", format: "TEXT", text: header }] : [];
}

function shownButton({ type, text = "Lihat", url }: Button): object {
  if (type === "COPY_CODE") return { type, text: "Copy offer code", example: ["HEMAT20"] };
  return { type, text, ...(url && { url }) };
}
