// What each step of a draft gets.
import type { Campaign } from "../../../api/types.ts";
import type { Field, Fields } from "./draft_edits.ts";

export interface DraftPart {
  draft: Campaign; // With what is not saved yet.
  refused: Partial<Record<Field, string>>;
  change: (part: Partial<Fields>) => void;
}
