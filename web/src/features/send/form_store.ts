// Keeps the form of each account in the session storage, also while the page is closed.
import { useSyncExternalStore } from "react";
import { useSession } from "../../session/session.tsx";
import { EMPTY_FORM, type SendForm } from "./send_form.ts";

interface Stored {
  person: string; // Nobody else sees the form, if another person signs in.
  form: SendForm;
}

export class FormStore {
  private readonly name: string;
  private readonly person: string;
  private form: SendForm;
  private readonly listeners = new Set<() => void>();

  constructor(account: string, person: string) {
    this.name = `merpati.send.${account}`;
    this.person = person;
    this.form = this.read();
  }

  readonly now = (): SendForm => this.form;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  change(by: (form: SendForm) => SendForm): void {
    this.form = by(this.form);
    const stored: Stored = { person: this.person, form: this.form };
    try {
      sessionStorage.setItem(this.name, JSON.stringify(stored));
    } catch {
      // The form then lasts as long as the app is open.
    }
    for (const listener of this.listeners) listener();
  }

  private read(): SendForm {
    try {
      const stored = JSON.parse(sessionStorage.getItem(this.name) ?? "null") as Stored | null;
      return stored?.person === this.person ? { ...EMPTY_FORM, ...stored.form } : EMPTY_FORM;
    } catch {
      return EMPTY_FORM;
    }
  }
}

const stores = new Map<string, FormStore>();

/** The form of the account that is shown. */
export function useFormStore(): [SendForm, FormStore] {
  const { account, session } = useSession();
  const person = session.person.id;
  const name = `${person} ${account?.id}`;
  const store = stores.get(name) ?? new FormStore(account?.id ?? "", person);
  stores.set(name, store);
  return [useSyncExternalStore(store.subscribe, store.now), store];
}
