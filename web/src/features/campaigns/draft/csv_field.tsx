// A CSV file of any size: how it is read, and how far its upload is.
import { Button, FileInput, Group, Select, Stack, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import type { FileForm } from "../../../api/campaigns.ts";
import { useText, useWords } from "../../../texts/index.tsx";
import { Quiet } from "../../../ui/notes.tsx";
import { ProblemNote } from "../../../ui/problem_note.tsx";
import { Bar } from "../bar.tsx";
import { useAudienceChanged } from "./audience_changed.ts";
import classes from "./draft.module.css";
import { isUnderWay, type UploadShown, upload, useUpload } from "./uploads.ts";

const DETECTED: FileForm = { number_column: "", country: "", delimiter: "", header: "" };
const MEGABYTE = 1_000_000;

export function CsvField({ id, onBegin }: { id: string; onBegin: () => void }) {
  const t = useText().audience;
  const [file, setFile] = useState<File | null>(null);
  const [form, setForm] = useState(DETECTED);
  const changed = useAudienceChanged();
  const shown = useUpload(id);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!file) return;
    onBegin();
    if (await upload(id, file, form)) setFile(null);
    await changed();
  };
  if (shown && isUnderWay(shown)) return <UnderWay shown={shown} />;
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack gap="sm">
        <FileInput
          label={t.file}
          description={t.fileHint}
          placeholder={t.fileChoose}
          accept=".csv,.txt,.tsv,text/csv,text/plain"
          value={file}
          onChange={setFile}
          clearable={false}
        />
        <FormOfFile form={form} onChange={setForm} />
        {shown && <Failure shown={shown} />}
        <Group>
          <Button type="submit" disabled={!file}>
            {t.upload}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function Failure({ shown }: { shown: UploadShown }) {
  const t = useText().audience;
  if (shown.error instanceof DOMException) return <Quiet>{t.stopped}</Quiet>;
  return <ProblemNote error={shown.error} />;
}

function UnderWay({ shown }: { shown: UploadShown }) {
  const { t: texts, format } = useWords();
  const t = texts.audience;
  const megabytes = (bytes: number) => format.number(Math.round((bytes / MEGABYTE) * 10) / 10);
  const isSent = shown.sent >= shown.size;
  return (
    <div>
      <Bar label={shown.name} value={isSent ? undefined : shown.sent} max={shown.size} />
      <Group justify="space-between" mt="xs">
        <span aria-live="polite">
          {shown.name} ·{" "}
          {isSent ? t.storing : t.uploading(megabytes(shown.sent), megabytes(shown.size))}
        </span>
        <Button variant="default" size="xs" onClick={shown.stop}>
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
  const t = useText().audience;
  const choices = (texts: Record<string, string>) =>
    Object.entries(texts).map(([value, label]) => ({ value, label }));
  return (
    <details className={classes.details}>
      <summary>{t.fileForm}</summary>
      <p className={classes.hint}>{t.fileFormHint}</p>
      <div className={classes.pair}>
        <TextInput
          label={t.numberColumn}
          description={t.numberColumnHint}
          placeholder={t.detected}
          maxLength={256}
          value={form.number_column}
          onChange={(event) => onChange({ ...form, number_column: event.currentTarget.value })}
        />
        <TextInput
          label={t.country}
          placeholder="62"
          inputMode="numeric"
          maxLength={3}
          value={form.country}
          onChange={(event) => onChange({ ...form, country: event.currentTarget.value })}
        />
        <Select
          label={t.delimiter}
          placeholder={t.detected}
          data={choices(t.delimiters as Record<string, string>)}
          value={form.delimiter || null}
          onChange={(value) => onChange({ ...form, delimiter: value ?? "" })}
          clearable
        />
        <Select
          label={t.header}
          placeholder={t.detected}
          data={choices(t.headers as Record<string, string>)}
          value={form.header || null}
          onChange={(value) => onChange({ ...form, header: (value ?? "") as FileForm["header"] })}
          clearable
        />
      </div>
    </details>
  );
}
