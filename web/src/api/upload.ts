// Uploads a file of any size. The browser reads it piece by piece while it sends it, and says how
// much it has sent, which `fetch` does not.
import { pageLanguage } from "../texts/language.ts";
import { CHANGE_HEADER, sessionEnded } from "./client.ts";
import { Problem, problemOf } from "./problem.ts";
import { reached, unreached } from "./reachable.ts";

/** How a CSV file of numbers is read; what is empty is detected. */
export interface FileForm {
  number_column: string; // Its name, or its position from 1.
  country: string; // Of numbers with a leading 0; empty: the account's.
  delimiter: "" | "comma" | "semicolon" | "tab" | "pipe";
  header: "" | "true" | "false";
}

export interface UploadOptions {
  /** Bytes that were sent. All of them: the gateway stores the last rows. */
  onProgress?: (sent: number) => void;
  signal?: AbortSignal;
}

/**
 * Posts the file as CSV; resolves with the gateway's answer. Rejects with a Problem, and with an
 * AbortError once the signal is aborted: the gateway then adds nothing.
 */
export function uploadFile<Answer>(
  address: string,
  file: Blob,
  { onProgress, signal }: UploadOptions = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const abort = () => request.abort();
    request.open("POST", address);
    request.setRequestHeader("Accept", "application/json");
    request.setRequestHeader("Accept-Language", pageLanguage());
    request.setRequestHeader("Content-Type", "text/csv");
    request.setRequestHeader(CHANGE_HEADER, "1");
    request.upload.onprogress = ({ loaded }) => onProgress?.(loaded);
    request.onload = () => void answer(request).then(resolve as (value: unknown) => void, reject);
    request.onabort = () => reject(new DOMException("the upload was stopped", "AbortError"));
    request.onerror = () => {
      unreached();
      reject(new Problem(0, "unreachable", ""));
    };
    request.onloadend = () => signal?.removeEventListener("abort", abort);
    signal?.addEventListener("abort", abort);
    if (signal?.aborted) return reject(signal.reason);
    request.send(file);
  });
}

async function answer({ status, responseText }: XMLHttpRequest): Promise<unknown> {
  reached();
  if (status >= 200 && status < 300) return JSON.parse(responseText) as unknown;
  if (status === 401) sessionEnded.dispatchEvent(new Event("ended"));
  throw await problemOf(new Response(responseText, { status }));
}
