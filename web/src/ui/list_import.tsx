// A window in which a file of people is chosen and uploaded, and which shows what became of its
// rows.
import { Button, FileInput, Group, Modal, Stack, TextInput } from "@mantine/core";
import { type FormEvent, type ReactNode, useState } from "react";
import type { ListForm } from "../api/contacts.ts";
import type { UploadOptions } from "../api/upload.ts";
import { useText, useWords } from "../texts/index.tsx";
import { type FigureShown, Figures } from "./figures.tsx";
import classes from "./list_import.module.css";
import { ProblemNote } from "./problem_note.tsx";

interface ListImportProps<Done> {
  title: string;
  lead: string; // Which columns the file has.
  opened: boolean;
  onClose: () => void;
  upload: (file: File, form: ListForm, options: UploadOptions) => Promise<Done>;
  onEnded: () => Promise<unknown>; // Also after a failure, which may leave a part.
  figuresOf: (done: Done) => FigureShown[];
  noteOf?: (done: Done) => string;
  children?: ReactNode; // Fields for all rows.
}

/** Stays open while the file is uploaded: leaving would stop it unseen. */
export function ListImport<Done>({ children, ...props }: ListImportProps<Done>) {
  const t = useText();
  const [busy, setBusy] = useState(false);
  return (
    <Modal
      opened={props.opened}
      onClose={props.onClose}
      title={props.title}
      closeOnEscape={!busy}
      closeOnClickOutside={!busy}
      withCloseButton={!busy}
      closeButtonProps={{ "aria-label": t.common.close }}
    >
      <Import {...props} onBusy={setBusy}>
        {children}
      </Import>
    </Modal>
  );
}

interface UnderWayShown {
  file: File;
  sent: number; // Bytes.
  stop: () => void;
}

const DETECTED: ListForm = { number_column: "", country: "" };

function Import<Done>(props: ListImportProps<Done> & { onBusy: (busy: boolean) => void }) {
  const t = useText();
  const [file, setFile] = useState<File | null>(null);
  const [form, setForm] = useState(DETECTED);
  const [underWay, setUnderWay] = useState<UnderWayShown>();
  const [done, setDone] = useState<Done>();
  const [error, setError] = useState<unknown>();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!file) return;
    const ending = new AbortController();
    const note = (sent: number) => setUnderWay({ file, sent, stop: () => ending.abort() });
    setError(undefined);
    props.onBusy(true);
    note(0);
    try {
      setDone(await props.upload(file, form, { onProgress: note, signal: ending.signal }));
    } catch (caught) {
      setError(caught);
    } finally {
      setUnderWay(undefined);
      props.onBusy(false);
      void props.onEnded();
    }
  };
  if (underWay) return <UnderWay {...underWay} />;
  if (done) {
    return (
      <Stack gap="md">
        <p className={classes.done} role="status">
          {t.listImport.done} {props.noteOf?.(done)}
        </p>
        <Figures figures={props.figuresOf(done)} />
        <Group justify="flex-end">
          <Button data-autofocus onClick={props.onClose}>
            {t.common.close}
          </Button>
        </Group>
      </Stack>
    );
  }
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack gap="md">
        <p className={classes.lead}>{props.lead}</p>
        <FileInput
          data-autofocus
          label={t.listImport.file}
          description={t.listImport.fileHint}
          placeholder={t.listImport.choose}
          accept=".csv,.txt,.tsv,text/csv,text/plain"
          value={file}
          onChange={setFile}
          clearable={false}
        />
        {props.children}
        <FormOfList form={form} onChange={setForm} />
        <Failure error={error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={props.onClose}>
            {t.common.cancel}
          </Button>
          <Button type="submit" disabled={!file}>
            {t.listImport.upload}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function Failure({ error }: { error: unknown }) {
  const t = useText().listImport;
  if (!error) return null;
  return (
    <>
      {!(error instanceof DOMException) && <ProblemNote error={error} />}
      <p className={classes.lead} role="status">
        {t.broken}
      </p>
    </>
  );
}

const MEGABYTE = 1_000_000;

function UnderWay({ file, sent, stop }: UnderWayShown) {
  const { t: texts, format } = useWords();
  const t = texts.listImport;
  const megabytes = (bytes: number) => format.number(Math.round((bytes / MEGABYTE) * 10) / 10);
  const isSent = sent >= file.size;
  return (
    <Stack gap="md">
      <p className={classes.done}>{file.name}</p>
      <progress
        className={classes.bar}
        aria-label={t.progress}
        value={isSent ? undefined : sent}
        max={Math.max(file.size, 1)}
      />
      <Group justify="space-between">
        <span className={classes.lead}>
          {isSent ? t.storing : t.uploading(megabytes(sent), megabytes(file.size))}
        </span>
        <Button variant="default" onClick={stop}>
          {t.stop}
        </Button>
      </Group>
    </Stack>
  );
}

interface FormOfListProps {
  form: ListForm;
  onChange: (form: ListForm) => void;
}

function FormOfList({ form, onChange }: FormOfListProps) {
  const t = useText().listImport;
  return (
    <details className={classes.form}>
      <summary>{t.form}</summary>
      <Stack gap="sm">
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
          placeholder={t.countryOfAccount}
          inputMode="numeric"
          maxLength={3}
          value={form.country}
          onChange={(event) => onChange({ ...form, country: event.currentTarget.value.trim() })}
        />
      </Stack>
    </details>
  );
}
