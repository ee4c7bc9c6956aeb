// The language of the app: the person's choice, else the browser's.

export type Language = "id" | "en";
export const LANGUAGES: readonly Language[] = ["id", "en"];

// Readers of these languages know Indonesian better than English.
const READ_INDONESIAN = new Set(["id", "in", "ms", "jv", "su"]);

/** The language for a browser that prefers these, the best first. */
export function languageOf(preferred: readonly string[]): Language {
  const first = preferred[0]?.toLowerCase().split("-")[0];
  return first === undefined || READ_INDONESIAN.has(first) ? "id" : "en";
}

/** The language of the page, for code outside of components. */
export function pageLanguage(): Language {
  return document.documentElement.lang === "en" ? "en" : "id";
}
