// Says in the app's language what is wrong with a field. Browsers say it in their own.
import { textsOf } from "../texts/index.tsx";
import { pageLanguage } from "../texts/language.ts";

type Field = HTMLInputElement | HTMLTextAreaElement;

export function watchValidity(): void {
  document.addEventListener("invalid", ({ target }) => isField(target) && explain(target), true);
  // A text that was set keeps a field invalid until it is removed.
  document.addEventListener("input", ({ target }) => isField(target) && clear(target), true);
}

function explain(field: Field): void {
  clear(field);
  field.setCustomValidity(validityText(field));
}

function clear(field: Field): void {
  field.setCustomValidity("");
}

/** Empty: the field is valid, or wrong in a way for which there is no text. */
export function validityText({ validity, type, minLength }: Field): string {
  const t = textsOf(pageLanguage()).common.validity;
  if (validity.valueMissing) return t.missing;
  if (validity.tooShort) return t.tooShort(minLength);
  if (validity.typeMismatch) return type === "email" ? t.email : t.url;
  return "";
}

function isField(target: EventTarget | null): target is Field {
  return target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
}
