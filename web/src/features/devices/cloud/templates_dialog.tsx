// The templates of a number's business account, and which of them stands in for a text that the
// platform no longer takes.
import { Button, Modal, Stack } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import type { Tagged } from "../../../api/client.ts";
import { changeDevice } from "../../../api/devices.ts";
import type { Device, MessageTemplate } from "../../../api/types.ts";
import { useSession } from "../../../session/session.tsx";
import { useText, useWords } from "../../../texts/index.tsx";
import { type Column, DataTable } from "../../../ui/data_table.tsx";
import { Quiet } from "../../../ui/notes.tsx";
import { ProblemNote, useNotices } from "../../../ui/problem_note.tsx";
import { useRefresh } from "../../../ui/refresh.ts";
import { State, type Tone } from "../../../ui/state.tsx";
import classes from "./cloud.module.css";
import { canStandIn, templateName, useTemplates } from "./templates.ts";

interface TemplatesDialogProps {
  device: Tagged<Device>;
  opened: boolean;
  onClose: () => void;
}

export function TemplatesDialog({ device, opened, onClose }: TemplatesDialogProps) {
  const t = useText();
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      size={880}
      title={t.cloud.templatesTitle(device.number)}
      closeButtonProps={{ "aria-label": t.common.close }}
    >
      {opened && <Templates device={device} />}
    </Modal>
  );
}

function Templates({ device }: { device: Tagged<Device> }) {
  const { t: texts, format } = useWords();
  const t = texts.cloud;
  const manages = useSession().can("devices:manage");
  const { data, error } = useTemplates(device.number);
  const notices = useNotices();
  const choice = useMutation({
    mutationFn: (fallback_template: string | null) =>
      changeDevice(device.number, device.tag, { fallback_template }),
    onSuccess: () => notices.done(t.fallbackSaved),
    onSettled: useRefresh("device", "devices"), // Also after a conflict: it is shown then.
  });
  const columns = useColumns();
  if (manages) {
    columns.push({
      key: "fallback",
      head: t.fallback,
      narrow: true,
      phone: "bare",
      cell: (one) => (
        <Choice
          template={one}
          chosen={device.fallback_template === templateName(one)}
          busy={choice.isPending}
          onChoose={choice.mutate}
        />
      ),
    });
  }
  return (
    <Stack gap="md">
      <p className={classes.lead}>{t.templatesLead}</p>
      <ProblemNote error={choice.error} />
      {data?.more && <Quiet>{texts.common.cut(format.number(data.items.length))}</Quiet>}
      <DataTable
        label={t.templates}
        columns={columns}
        rows={data?.items}
        rowKey={templateName}
        error={error}
        empty={<Quiet>{t.noTemplates}</Quiet>}
      />
    </Stack>
  );
}

const TONES: Record<string, Tone> = {
  approved: "good",
  pending: "busy",
  in_appeal: "busy",
  paused: "warn",
  limit_exceeded: "warn",
  rejected: "bad",
  disabled: "bad",
};

function useColumns(): Column<MessageTemplate>[] {
  const t = useText().cloud;
  const named = (names: Record<string, string>, word: string) => names[word.toLowerCase()] ?? word;
  return [
    {
      key: "name",
      head: t.name,
      narrow: true,
      phone: "title",
      cell: ({ name, language }) => (
        <>
          {name} <span className={classes.quiet}>{language}</span>
        </>
      ),
    },
    {
      key: "category",
      head: t.category,
      narrow: true,
      cell: ({ category }) => named(t.categories as Record<string, string>, category),
    },
    {
      key: "status",
      head: t.status,
      narrow: true,
      phone: "mark",
      cell: ({ status }) => (
        <State tone={TONES[status.toLowerCase()] ?? "calm"}>
          {named(t.statuses as Record<string, string>, status)}
        </State>
      ),
    },
    {
      key: "body",
      head: t.body,
      phone: "bare",
      cell: ({ body }) => <span className={classes.body}>{body}</span>,
    },
  ];
}

interface ChoiceProps {
  template: MessageTemplate;
  chosen: boolean;
  busy: boolean;
  onChoose: (fallback: string | null) => void;
}

function Choice({ template, chosen, busy, onChoose }: ChoiceProps) {
  const t = useText().cloud;
  const name = templateName(template);
  if (chosen) {
    return (
      <Button size="xs" variant="default" disabled={busy} onClick={() => onChoose(null)}>
        {t.fallbackRemove}
      </Button>
    );
  }
  if (!canStandIn(template)) return null;
  return (
    <Button size="xs" variant="default" disabled={busy} onClick={() => onChoose(name)}>
      {t.fallbackChoose}
    </Button>
  );
}
