// One upload from its begin to its end, and what of it a draft shows.
import { expect, test, vi } from "vitest";
import { uploadRecipients } from "../src/api/campaigns.ts";
import type { Uploaded } from "../src/api/types.ts";
import type { FileForm, UploadOptions } from "../src/api/upload.ts";
import { forgetUpload, upload, useUpload } from "../src/features/campaigns/draft/uploads.ts";
import { isUnderWay, runUpload, type UploadShown } from "../src/ui/upload_run.ts";

vi.mock("../src/api/campaigns.ts", () => ({ uploadRecipients: vi.fn() }));
// Without a component: what it would show now.
vi.mock("react", () => ({ useSyncExternalStore: (_: unknown, now: () => unknown) => now() }));

const FILE = new File(["nomor\n0812"], "daftar.csv");
const FORM: FileForm = { number_column: "", country: "", delimiter: "", header: "" };
const ANSWER = { rows: 1, added: 1 } as Uploaded;

test("an upload is shown from its first byte to its answer", async () => {
  const shown: UploadShown<string>[] = [];
  const send = async ({ onProgress }: UploadOptions) => {
    onProgress?.(4);
    return "stored";
  };
  const ended = await runUpload(FILE, send, (state) => shown.push(state));
  expect(shown.map(({ sent, answer }) => [sent, answer])).toEqual([
    [0, undefined],
    [4, undefined],
    [4, "stored"],
  ]);
  expect(shown.map(isUnderWay)).toEqual([true, true, false]);
  expect(ended).toMatchObject({ name: "daftar.csv", size: FILE.size, answer: "stored" });
});

test("one that is stopped ends with the error of its request", async () => {
  const send = ({ signal }: UploadOptions) =>
    new Promise<never>((_, reject) => {
      signal?.addEventListener("abort", () => reject(new DOMException("stopped", "AbortError")));
    });
  let shown: UploadShown<never> | undefined;
  const running = runUpload(FILE, send, (state) => {
    shown = state;
  });
  shown?.stop();
  const ended = await running;
  expect(ended.error).toBeInstanceOf(DOMException);
  expect(isUnderWay(ended)).toBe(false);
});

test("one that was forgotten does not show itself again, nor in place of the next", async () => {
  const answers: ((answer: Uploaded) => void)[] = [];
  const asked = () => new Promise<Uploaded>((resolve) => answers.push(resolve));
  vi.mocked(uploadRecipients).mockImplementation(asked);
  const first = upload("cmp_1", FILE, FORM);
  forgetUpload("cmp_1");
  const second = upload("cmp_1", new File(["nomor"], "lain.csv"), FORM);
  answers[0]?.(ANSWER);
  await first;
  expect(useUpload("cmp_1")).toMatchObject({ name: "lain.csv", sent: 0 });
  answers[1]?.(ANSWER);
  await second;
  expect(useUpload("cmp_1")).toMatchObject({ name: "lain.csv", answer: ANSWER });
});
