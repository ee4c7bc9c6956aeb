// The form of a message: sender, recipients, content, time.
import {
  Button,
  Group,
  SegmentedControl,
  Select,
  Stack,
  Switch,
  Textarea,
  TextInput,
} from "@mantine/core";
import { type FormEvent, type KeyboardEvent, useState } from "react";
import type { Device } from "../../api/types.ts";
import { useText, useWords } from "../../texts/index.tsx";
import { isPaused } from "../../ui/device_state.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Note } from "../../ui/notes.tsx";
import { Panel } from "../../ui/page.tsx";
import { DeviceSelect, isOnline } from "../devices/device_select.tsx";
import { addRecipients, type Fault } from "./recipients.ts";
import { RecipientsField } from "./recipients_field.tsx";
import {
  CHARACTERS_MAX,
  charactersOf,
  type Delay,
  EMPTY_FORM,
  type SendForm,
} from "./send_form.ts";

interface MessageFormProps {
  form: SendForm;
  from: string;
  sender: Device | undefined; // Undefined: not among the devices that were read.
  busy: boolean;
  change: (part: Partial<SendForm>) => void;
  onSend: () => void;
}

export function MessageForm({ form, from, sender, busy, change, onSend }: MessageFormProps) {
  const t = useText().send;
  const [fault, setFault] = useState<Fault>();
  const isLong = charactersOf(form.text) > CHARACTERS_MAX[form.type];
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (busy || isLong) return;
    const added = addRecipients(form.to, form.typed);
    const wrong = added.fault ?? (added.to.length === 0 ? "none" : undefined);
    setFault(wrong);
    change({ from, to: added.to, typed: added.typed });
    if (wrong) document.getElementById(RECIPIENTS)?.querySelector("input")?.focus();
    else onSend();
  };
  const press = (event: KeyboardEvent<HTMLFormElement>) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      event.currentTarget.requestSubmit();
    }
  };
  const people = addRecipients(form.to, form.typed).to.length;
  return (
    <Panel>
      <form onSubmit={submit} onKeyDown={press}>
        <Stack gap="sm">
          <DeviceSelect
            label={t.from}
            value={from || null}
            onChange={(number) => change({ from: number ?? "" })}
            onlineFirst
            searchable
          />
          {sender && <SenderNote sender={sender} />}
          <div id={RECIPIENTS}>
            <RecipientsField
              to={form.to}
              typed={form.typed}
              fault={fault}
              onChange={(part) => {
                setFault(undefined);
                change(part);
              }}
            />
          </div>
          <Content form={form} isLong={isLong} change={change} />
          <Time form={form} change={change} />
          <Group gap="xs" mt={4}>
            <Button type="submit" loading={busy} leftSection={<Icon name="send" size={16} />}>
              {t.send(people)}
            </Button>
            <Button
              variant="default"
              disabled={busy}
              onClick={() => {
                setFault(undefined);
                change({ ...EMPTY_FORM, from: form.from });
              }}
            >
              {t.startAgain}
            </Button>
          </Group>
        </Stack>
      </form>
    </Panel>
  );
}

const RECIPIENTS = "send-recipients";

function SenderNote({ sender }: { sender: Device }) {
  const t = useText();
  if (!isOnline(sender)) return <Note href={`/devices/${sender.number}`}>{t.send.notReady}</Note>;
  if (isPaused(sender)) return <Note href={`/devices/${sender.number}`}>{t.send.paused}</Note>;
  return sender.simulated ? <Note calm>{t.connectors.simulatedText}</Note> : null;
}

interface PartProps {
  form: SendForm;
  change: (part: Partial<SendForm>) => void;
}

function Content({ form, isLong, change }: PartProps & { isLong: boolean }) {
  const { t: texts, format } = useWords();
  const t = texts.send;
  const isMedia = form.type === "media";
  const used = format.number(charactersOf(form.text));
  const most = format.number(CHARACTERS_MAX[form.type]);
  return (
    <>
      <SegmentedControl
        aria-label={t.type}
        value={form.type}
        onChange={(value) => change({ type: value as SendForm["type"] })}
        data={[
          { value: "text", label: t.text },
          { value: "media", label: t.media },
        ]}
      />
      {isMedia && (
        <TextInput
          label={t.url}
          description={t.urlHint}
          type="url"
          placeholder="https://"
          required
          withAsterisk={false}
          value={form.url}
          onChange={(event) => change({ url: event.currentTarget.value })}
        />
      )}
      <Textarea
        label={isMedia ? t.caption : t.body}
        description={t.count(used, most)}
        inputWrapperOrder={["label", "input", "description", "error"]}
        error={isLong && t.tooLong(most)}
        autosize
        minRows={4}
        maxRows={14}
        required={!isMedia}
        withAsterisk={false}
        value={form.text}
        onChange={(event) => change({ text: event.currentTarget.value })}
      />
    </>
  );
}

function Time({ form, change }: PartProps) {
  const texts = useText();
  const t = texts.send;
  return (
    <>
      <Select
        label={t.delay}
        data={Object.entries(texts.send.delays).map(([value, label]) => ({ value, label }))}
        value={form.delay}
        onChange={(delay) => change({ delay: (delay ?? "now") as Delay })}
      />
      <Switch
        label={t.typing}
        checked={form.typing}
        onChange={(event) => change({ typing: event.currentTarget.checked })}
      />
    </>
  );
}
