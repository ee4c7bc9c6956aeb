// Keeps a draft by itself: what is typed is saved after a pause, and waits in the browser's session
// until the gateway has it, so that a reload, a failure or another person loses nothing.
import { changeCampaign, readCampaign } from "../../../api/campaigns.ts";
import { saveOrRead, type Tagged } from "../../../api/client.ts";
import { Problem } from "../../../api/problem.ts";
import type { Campaign, CampaignChange } from "../../../api/types.ts";
import {
  changed,
  conflictsOf,
  type Edits,
  type Field,
  type Fields,
  fieldsOf,
  refusalsOf,
  shownWith,
  unsavedOf,
  withMine,
  withoutEqual,
  withoutSaved,
  withRefusals,
  withTheirs,
} from "./draft_edits.ts";

const PAUSE = 600; // Milliseconds without a change, after which it is saved.
const AGAIN_AFTER = 5000; // After a failure that is not the person's.
const TRIES_MAX = 10; // In a row, while others change the draft, or fields are refused one by one.

type Saving = "saved" | "saving" | "waiting" | "failed";

export interface DraftShown {
  draft: Campaign; // With the edits.
  stored: Tagged<Campaign>;
  saving: Saving; // Waiting: for the pause, or for the person, who has to mend a field.
  refused: Partial<Record<Field, string>>;
  conflicts: Field[];
}

type Stored = Tagged<Campaign>;

/** Reads and writes the draft; tests replace it. */
export interface DraftCalls {
  read: (id: string) => Promise<Stored>;
  change: (id: string, change: CampaignChange, tag: string) => Promise<Stored>;
}

const CALLS: DraftCalls = { read: (id) => readCampaign(id), change: changeCampaign };

/**
 * Operation: `take` each state that was read, `change` what the person edits. Edits of one field
 * by two people are conflicts, which are saved only once the person has decided; all others are
 * merged.
 */
export class DraftStore {
  private readonly name: string;
  private readonly person: string; // Nobody else sees the edits, if another person signs in.
  private readonly calls: DraftCalls;
  private readonly onStored: (stored: Stored) => void;
  private stored: Stored;
  private edits: Edits;
  private shown: DraftShown;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private busy: Promise<void> | undefined;
  private failed = false;
  private signedOut = false;
  private readonly listeners = new Set<() => void>();

  constructor(
    stored: Stored,
    person: string,
    onStored: (stored: Stored) => void,
    calls: DraftCalls = CALLS,
  ) {
    this.name = `merpati.draft.${stored.id}`;
    this.person = person;
    this.onStored = onStored;
    this.calls = calls;
    this.stored = stored;
    this.edits = withoutEqual(this.kept(), stored);
    this.shown = this.view();
    this.later(PAUSE);
  }

  readonly now = (): DraftShown => this.shown;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  change(part: Partial<Fields>): void {
    this.become(changed(this.edits, this.stored, part));
    this.later(PAUSE);
  }

  /** A state that was read. While a change is being saved, its answer is newer. */
  take(stored: Stored): void {
    if (this.busy) return;
    if (stored.tag !== this.stored.tag) this.rebase(stored, this.edits);
    // The draft is shown again, so its person is back.
    if (this.signedOut) this.later(PAUSE);
    this.signedOut = false;
  }

  keepMine(): void {
    this.become(withMine(this.edits, this.stored));
    this.later(0);
  }

  takeTheirs(): void {
    this.become(withTheirs(this.edits, this.stored));
  }

  /** Saves at once; resolves when nothing more can be saved without the person. */
  async flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.busy ??= this.save().finally(() => {
      this.busy = undefined;
      this.become(this.edits);
    });
    this.become(this.edits); // It is being saved now.
    await this.busy;
  }

  private async save(): Promise<void> {
    for (let tries = 1; tries <= TRIES_MAX; tries += 1) {
      const sent = unsavedOf(this.edits, this.stored);
      if (!sent) return;
      const { id, tag } = this.stored;
      try {
        const { present, conflict } = await saveOrRead(
          () => this.calls.change(id, sent, tag),
          () => this.calls.read(id),
        );
        if (!conflict) this.failed = false;
        this.rebase(present, conflict ? this.edits : withoutSaved(this.edits, sent, present));
        this.onStored(present);
      } catch (error) {
        if (!(await this.recover(error, sent))) return;
      }
    }
    this.later(AGAIN_AFTER);
  }

  /** Whether saving goes on at once. */
  private async recover(error: unknown, sent: CampaignChange): Promise<boolean> {
    const status = error instanceof Problem ? error.status : 0;
    if (error instanceof Problem && (status === 400 || status === 413)) {
      this.become(withRefusals(this.edits, refusalsOf(sent, error.fields, error.message)));
      return true; // The other fields.
    }
    this.failed = true;
    // Nothing is tried again by itself: it would be saved as whoever signs in next.
    this.signedOut = status === 401;
    if (this.signedOut) return false;
    // It is no draft any more: the page shows what is the case.
    if (status >= 400 && status < 500 && status !== 408 && status !== 429) {
      await this.readAgain();
      return false;
    }
    this.later(AGAIN_AFTER);
    return false;
  }

  private async readAgain(): Promise<void> {
    try {
      this.rebase(await this.calls.read(this.stored.id), this.edits);
      this.onStored(this.stored);
    } catch {
      this.later(AGAIN_AFTER);
    }
  }

  private rebase(stored: Stored, edits: Edits): void {
    this.stored = stored;
    this.become(withoutEqual(edits, stored));
  }

  private later(milliseconds: number): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (!unsavedOf(this.edits, this.stored)) return;
    this.timer = setTimeout(() => void this.flush(), milliseconds);
  }

  private become(edits: Edits): void {
    this.edits = edits;
    this.keep();
    this.shown = this.view();
    for (const listener of this.listeners) listener();
  }

  private view(): DraftShown {
    const refused: Partial<Record<Field, string>> = {};
    for (const field of fieldsOf(this.edits)) {
      const why = this.edits[field]?.refused;
      if (why) refused[field] = why;
    }
    return {
      draft: shownWith(this.stored, this.edits),
      stored: this.stored,
      saving: this.saving(),
      refused,
      conflicts: conflictsOf(this.edits, this.stored),
    };
  }

  private saving(): Saving {
    if (this.busy) return "saving";
    if (fieldsOf(this.edits).length === 0) return "saved";
    return this.failed ? "failed" : "waiting";
  }

  private keep(): void {
    try {
      if (fieldsOf(this.edits).length === 0) sessionStorage.removeItem(this.name);
      else {
        const { person, edits } = this;
        sessionStorage.setItem(this.name, JSON.stringify({ person, edits }));
      }
    } catch {
      // The edits then last as long as the app is open.
    }
  }

  private kept(): Edits {
    try {
      const kept = JSON.parse(sessionStorage.getItem(this.name) ?? "null") as {
        person: string;
        edits: Edits;
      } | null;
      return kept?.person === this.person ? kept.edits : {};
    } catch {
      return {};
    }
  }
}
