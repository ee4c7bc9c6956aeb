// The app's texts in the chosen language, and its formats of times and numbers.
import { createContext, type ReactNode, useContext, useLayoutEffect, useMemo } from "react";
import { useStored } from "../ui/stored.ts";
import * as account from "./account.ts";
import * as admin from "./admin.ts";
import * as audience from "./audience.ts";
import * as callbacks from "./callbacks.ts";
import * as campaigns from "./campaigns.ts";
import * as cloud from "./cloud.ts";
import * as connectors from "./connectors.ts";
import * as contacts from "./contacts.ts";
import * as csvUpload from "./csv_upload.ts";
import * as developers from "./developers.ts";
import * as devices from "./devices.ts";
import * as draft from "./draft.ts";
import * as common from "./everywhere.ts";
import { type Format, formatFor } from "./format.ts";
import * as invitation from "./invitation.ts";
import * as keys from "./keys.ts";
import { LANGUAGES, type Language, languageOf } from "./language.ts";
import * as log from "./log.ts";
import * as messages from "./messages.ts";
import * as overview from "./overview.ts";
import * as people from "./people.ts";
import { reasonText } from "./reasons.ts";
import * as send from "./send.ts";
import * as settings from "./settings.ts";
import * as shell from "./shell.ts";
import * as signIn from "./sign_in.ts";
import * as suppressions from "./suppressions.ts";
import * as usage from "./usage.ts";

export type { Language };

const areas = {
  account,
  admin,
  audience,
  callbacks,
  campaigns,
  cloud,
  common,
  connectors,
  contacts,
  csvUpload,
  developers,
  devices,
  draft,
  invitation,
  keys,
  log,
  messages,
  overview,
  people,
  send,
  settings,
  shell,
  signIn,
  suppressions,
  usage,
};

type Areas = typeof areas;
export type Texts = { [Area in keyof Areas]: Areas[Area]["id"] };

/** All texts of one language. A text that English lacks does not compile. */
export function textsOf(language: Language): Texts {
  const pairs = Object.entries(areas).map(([area, both]) => [area, both[language]]);
  return Object.fromEntries(pairs) as Texts;
}

export interface Words {
  language: Language;
  setLanguage: (language: Language) => void;
  t: Texts;
  format: Format;
  reason: (text: string | null | undefined) => string; // See reasonText.
}

const Context = createContext<Words | undefined>(undefined);

export function LanguageProvider({ children }: { children: ReactNode }) {
  const [language, setLanguage] = useStored("merpati.language", languageOf(navigator.languages), [
    ...LANGUAGES,
  ]);
  // Before the first request, which names the language.
  useLayoutEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  const words = useMemo(
    () => ({
      language,
      setLanguage,
      t: textsOf(language),
      format: formatFor(language),
      reason: (text: string | null | undefined) => reasonText(text, language),
    }),
    [language, setLanguage],
  );
  return <Context value={words}>{children}</Context>;
}

export function useWords(): Words {
  const words = useContext(Context);
  if (!words) throw new Error("no LanguageProvider above");
  return words;
}

export function useText(): Texts {
  return useWords().t;
}
