// A CSV file of any size: which one, how it is read, and how far its upload is.
import { Button, FileInput, Group, Select, Stack, TextInput } from "@mantine/core";
import { type FormEvent, type ReactNode, useState } from "react";
import { Problem } from "../api/problem.ts";
import type { FileForm } from "../api/upload.ts";
import { useText, useWords } from "../texts/index.tsx";
import { Bar } from "./bar.tsx";
import classes from "./csv_upload.module.css";
import { Quiet } from "./notes.tsx";
import { ProblemNote } from "./problem_note.tsx";
import { isUnderWay, type UploadShown } from "./upload_run.ts";

interface CsvUploadProps {
  upload: UploadShown<unknown> | undefined; // The one under way, or the last one that has ended.
  onUpload: (file: File, form: FileForm) => Promise<UploadShown<unknown>>;
  action: string; // What the button says that begins.
  hint: string; // Which files.
  onCancel?: () => void; // In a window.
  children?: ReactNode; // Fields for all rows.
}

const DETECTED: FileForm = { number_column: "", country: "", delimiter: "", header: "" };

/** A file that was not stored stays chosen. */
export function CsvUpload({ upload, onUpload, children, ...props }: CsvUploadProps) {
  const texts = useText();
  const t = texts.csvUpload;
  const [file, setFile] = useState<File | null>(null);
  const [form, setForm] = useState(DETECTED);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!file) return;
    const { error } = await onUpload(file, form);
    if (error === undefined) setFile(null);
  };
  if (upload && isUnderWay(upload)) return <UnderWay upload={upload} />;
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack gap="sm">
        <FileInput
          data-autofocus
          label={t.file}
          description={props.hint}
          placeholder={t.choose}
          accept=".csv,.txt,.tsv,text/csv,text/plain"
          value={file}
          onChange={setFile}
          clearable={false}
        />
        {children}
        <FormOfFile form={form} onChange={setForm} />
        <Failure error={upload?.error} />
        <Group justify={props.onCancel ? "flex-end" : "flex-start"}>
          {props.onCancel && (
            <Button variant="default" onClick={props.onCancel}>
              {texts.common.cancel}
            </Button>
          )}
          <Button type="submit" disabled={!file}>
            {props.action}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function Failure({ error }: { error: unknown }) {
  const t = useText().csvUpload;
  if (error === undefined) return null;
  if (error instanceof DOMException) return <Quiet>{t.stopped}</Quiet>;
  return (
    <>
      <ProblemNote error={error} />
      {/* Without an answer nobody knows. */}
      {error instanceof Problem && error.status > 0 && <Quiet>{t.broken}</Quiet>}
    </>
  );
}

const MEGABYTE = 1_000_000;

function UnderWay({ upload: { name, size, sent, stop } }: { upload: UploadShown<unknown> }) {
  const { t: texts, format } = useWords();
  const t = texts.csvUpload;
  const megabytes = (bytes: number) => format.number(Math.round((bytes / MEGABYTE) * 10) / 10);
  const isSent = sent >= size;
  return (
    <div>
      <Bar label={t.progress(name)} value={isSent ? undefined : sent} max={size} />
      <Group justify="space-between" mt="xs">
        <span className={classes.underWay} aria-live="polite">
          {name} · {isSent ? t.storing : t.uploading(megabytes(sent), megabytes(size))}
        </span>
        <Button variant="default" size="xs" onClick={stop}>
          {t.stop}
        </Button>
      </Group>
    </div>
  );
}

interface FormOfFileProps {
  form: FileForm;
  onChange: (form: FileForm) => void;
}

function FormOfFile({ form, onChange }: FormOfFileProps) {
  const t = useText().csvUpload;
  const choices = (texts: Record<string, string>) =>
    Object.entries(texts).map(([value, label]) => ({ value, label }));
  const set = (part: Partial<FileForm>) => onChange({ ...form, ...part });
  return (
    <details className={classes.form}>
      <summary>{t.form}</summary>
      <p className={classes.hint}>{t.formHint}</p>
      <div className={classes.fields}>
        <TextInput
          label={t.numberColumn}
          description={t.numberColumnHint}
          placeholder={t.detected}
          maxLength={256}
          value={form.number_column}
          onChange={(event) => set({ number_column: event.currentTarget.value })}
        />
        <TextInput
          label={t.country}
          placeholder={t.countryOfAccount}
          inputMode="numeric"
          maxLength={3}
          value={form.country}
          onChange={(event) => set({ country: event.currentTarget.value.trim() })}
        />
        <Select
          label={t.delimiter}
          placeholder={t.detected}
          data={choices(t.delimiters as Record<string, string>)}
          value={form.delimiter || null}
          onChange={(value) => set({ delimiter: (value ?? "") as FileForm["delimiter"] })}
          clearable
        />
        <Select
          label={t.header}
          placeholder={t.detected}
          data={choices(t.headers as Record<string, string>)}
          value={form.header || null}
          onChange={(value) => set({ header: (value ?? "") as FileForm["header"] })}
          clearable
        />
      </div>
    </details>
  );
}
