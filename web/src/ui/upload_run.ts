// One upload, from its begin to its end.
import type { UploadOptions } from "../api/upload.ts";

export interface UploadShown<Answer> {
  name: string; // Of the file.
  size: number;
  sent: number; // Bytes.
  answer?: Answer; // It has ended, and all rows are stored.
  error?: unknown; // It has ended without an answer: a Problem, or an AbortError after `stop`.
  stop: () => void;
}

export function isUnderWay(upload: UploadShown<unknown> | undefined): boolean {
  return upload !== undefined && upload.answer === undefined && upload.error === undefined;
}

/** Gives each new state to `show`. Resolves when the upload has ended, with its last one. */
export async function runUpload<Answer>(
  file: File,
  send: (options: UploadOptions) => Promise<Answer>,
  show: (upload: UploadShown<Answer>) => void,
): Promise<UploadShown<Answer>> {
  const ending = new AbortController();
  const stop = () => ending.abort();
  let upload: UploadShown<Answer> = { name: file.name, size: file.size, sent: 0, stop };
  const note = (part: Partial<UploadShown<Answer>>) => {
    upload = { ...upload, ...part };
    show(upload);
  };
  note({});
  try {
    const onProgress = (sent: number) => note({ sent });
    note({ answer: await send({ onProgress, signal: ending.signal }) });
  } catch (error) {
    note({ error });
  }
  return upload;
}
