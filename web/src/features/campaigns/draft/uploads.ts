// The uploads of this tab, which go on while the person looks at another page.
import { useSyncExternalStore } from "react";
import { uploadRecipients } from "../../../api/campaigns.ts";
import type { Uploaded } from "../../../api/types.ts";
import type { FileForm } from "../../../api/upload.ts";
import { runUpload, type UploadShown } from "../../../ui/upload_run.ts";

const uploads = new Map<string, UploadShown<Uploaded>>(); // By campaign.
const listeners = new Set<() => void>();

/** The upload to the campaign that is under way, or the last one that has ended. */
export function useUpload(id: string): UploadShown<Uploaded> | undefined {
  return useSyncExternalStore(subscribe, () => uploads.get(id));
}

/** One that is forgotten goes on unseen. */
export function upload(id: string, file: File, form: FileForm): Promise<UploadShown<Uploaded>> {
  let last = uploads.get(id);
  const show = (next: UploadShown<Uploaded>) => {
    if (uploads.get(id) !== last) return;
    last = next;
    set(id, next);
  };
  return runUpload(file, (options) => uploadRecipients(id, file, form, options), show);
}

export function forgetUpload(id: string): void {
  set(id, undefined);
}

function set(id: string, shown: UploadShown<Uploaded> | undefined): void {
  if (shown) uploads.set(id, shown);
  else uploads.delete(id);
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
