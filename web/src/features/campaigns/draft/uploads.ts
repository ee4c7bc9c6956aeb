// The uploads of this tab, which go on while the person looks at another page.
import { useSyncExternalStore } from "react";
import { type FileForm, uploadRecipients } from "../../../api/campaigns.ts";
import type { Uploaded } from "../../../api/types.ts";

export interface UploadShown {
  name: string; // Of the file.
  size: number;
  sent: number; // Bytes.
  answer?: Uploaded; // It has ended, and all rows are stored.
  error?: unknown; // It has ended, and nothing was stored.
  stop: () => void;
}

const uploads = new Map<string, UploadShown>(); // By campaign.
const listeners = new Set<() => void>();

/** The upload to the campaign that is under way, or the last one that has ended. */
export function useUpload(id: string): UploadShown | undefined {
  return useSyncExternalStore(subscribe, () => uploads.get(id));
}

export function isUnderWay(upload: UploadShown | undefined): boolean {
  return upload !== undefined && !upload.answer && upload.error === undefined;
}

/** Resolves when the upload has ended, with whether its rows were stored. */
export async function upload(id: string, file: File, form: FileForm): Promise<boolean> {
  const ending = new AbortController();
  const stop = () => ending.abort();
  set(id, { name: file.name, size: file.size, sent: 0, stop });
  const note = (part: Partial<UploadShown>) => {
    const present = uploads.get(id);
    if (present) set(id, { ...present, ...part });
  };
  try {
    const onProgress = (sent: number) => note({ sent });
    note({ answer: await uploadRecipients(id, file, form, { onProgress, signal: ending.signal }) });
    return true;
  } catch (error) {
    note({ error });
    return false;
  }
}

export function forgetUpload(id: string): void {
  set(id, undefined);
}

function set(id: string, shown: UploadShown | undefined): void {
  if (shown) uploads.set(id, shown);
  else uploads.delete(id);
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
