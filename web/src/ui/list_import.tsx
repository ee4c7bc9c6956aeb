// A window in which a file of people is chosen and uploaded, and which shows what became of its
// rows.
import { Button, Group, Modal, Stack } from "@mantine/core";
import { type ReactNode, useState } from "react";
import type { FileForm, UploadOptions } from "../api/upload.ts";
import { useText } from "../texts/index.tsx";
import { CsvUpload } from "./csv_upload.tsx";
import { type FigureShown, Figures } from "./figures.tsx";
import classes from "./list_import.module.css";
import { isUnderWay, runUpload, type UploadShown } from "./upload_run.ts";

interface ListImportProps<Done> {
  title: string;
  lead: string; // Which columns the file has.
  opened: boolean;
  onClose: () => void;
  upload: (file: File, form: FileForm, options: UploadOptions) => Promise<Done>;
  onEnded: () => Promise<unknown>; // Also after a failure whose answer may have been lost.
  figuresOf: (done: Done) => FigureShown[];
  noteOf?: (done: Done) => string;
  children?: ReactNode; // Fields for all rows.
}

/** Stays open while the file is uploaded: leaving would stop it unseen. */
export function ListImport<Done>(props: ListImportProps<Done>) {
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
      <Import {...props} onBusy={setBusy} />
    </Modal>
  );
}

function Import<Done>(props: ListImportProps<Done> & { onBusy: (busy: boolean) => void }) {
  const t = useText();
  const [shown, setShown] = useState<UploadShown<Done>>();
  const show = (upload: UploadShown<Done>) => {
    setShown(upload);
    props.onBusy(isUnderWay(upload));
  };
  const upload = async (file: File, form: FileForm) => {
    const ended = await runUpload(file, (options) => props.upload(file, form, options), show);
    void props.onEnded();
    return ended;
  };
  if (shown?.answer !== undefined) return <Done {...props} done={shown.answer} />;
  return (
    <>
      <p className={classes.lead}>{props.lead}</p>
      <CsvUpload
        upload={shown}
        onUpload={upload}
        action={t.csvUpload.import}
        hint={t.csvUpload.fileHint}
        onCancel={props.onClose}
      >
        {props.children}
      </CsvUpload>
    </>
  );
}

interface DoneProps<Done> extends ListImportProps<Done> {
  done: Done;
}

function Done<Done>({ done, figuresOf, noteOf, onClose }: DoneProps<Done>) {
  const t = useText();
  return (
    <Stack gap="md">
      <p className={classes.done} role="status">
        {t.csvUpload.done} {noteOf?.(done)}
      </p>
      <Figures figures={figuresOf(done)} />
      <Group justify="flex-end">
        <Button data-autofocus onClick={onClose}>
          {t.common.close}
        </Button>
      </Group>
    </Stack>
  );
}
