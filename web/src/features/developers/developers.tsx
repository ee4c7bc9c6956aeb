// Builds a send request of either revision, shows it in four languages, and sends it.
import {
  Anchor,
  Button,
  Group,
  PasswordInput,
  SegmentedControl,
  Select,
  Stack,
  Switch,
  Tabs,
  Textarea,
  TextInput,
} from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { Link } from "wouter";
import { sendWithKey } from "../../api/messages.ts";
import { useSession } from "../../session/session.tsx";
import { useText } from "../../texts/index.tsx";
import { isOnline, isPaused } from "../../ui/device_state.tsx";
import { Code, Copy } from "../../ui/notes.tsx";
import { Page, Panel, Section } from "../../ui/page.tsx";
import { phoneNumber } from "../../ui/phone_number.ts";
import { ProblemNote } from "../../ui/problem_note.tsx";
import { useAllDevices } from "../devices/all_devices.ts";
import { DeviceSelect } from "../devices/device_select.tsx";
import classes from "./developers.module.css";
import { bodyOf, type Draft, OUTCOMES, type Outcome } from "./draft.ts";
import { LANGUAGES, type SnippetLanguage, snippet } from "./snippets.ts";

const UNKNOWN = "628…"; // The sender in the samples of an account without devices.

export default function Developers() {
  const t = useText();
  const devices = useAllDevices();
  const known = devices.data?.items ?? [];
  // A device that sends at once, if there is one.
  const ready = known.find((one) => isOnline(one) && !isPaused(one));
  const [draft, setDraft] = useState<Draft>({
    revision: "A",
    from: "",
    to: "",
    type: "text",
    text: t.developers.sample,
    url: "",
    delay: "",
    typing: false,
    callback: "",
  });
  const [key, setKey] = useState("");
  const from = draft.from || ready?.number || known[0]?.number || UNKNOWN;
  // A number that the simulator plays may be a stranger's: it is never offered for a real device.
  const simulated = known.find((one) => one.number === from)?.simulated ?? false;
  const to = draft.to || (simulated ? OUTCOMES.ok : "");
  const shown = { ...draft, from, to };
  return (
    <Page
      title={t.developers.title}
      lead={t.developers.lead}
      actions={
        <Anchor href="/openapi.yaml" target="_blank" size="sm">
          {t.developers.docs}
        </Anchor>
      }
    >
      <ProblemNote error={devices.error} />
      <div className={classes.columns}>
        <Form
          draft={shown}
          simulated={simulated}
          fromHint={devices.data ? t.developers.fromNone : ""}
          change={(part) => setDraft({ ...draft, ...part })}
        />
        <div>
          <Snippets draft={shown} apiKey={key} />
          <Try draft={shown} apiKey={key} setKey={setKey} />
        </div>
      </div>
    </Page>
  );
}

interface FormProps {
  draft: Draft;
  simulated: boolean; // Whether the chosen device is.
  fromHint: string; // Shown while no device is chosen.
  change: (part: Partial<Draft>) => void;
}

function Form({ draft, simulated, fromHint, change }: FormProps) {
  const t = useText().developers;
  return (
    <Panel>
      <Stack gap="sm">
        <SegmentedControl
          aria-label={t.revision}
          value={draft.revision}
          onChange={(value) => change({ revision: value as Draft["revision"] })}
          data={[
            { value: "A", label: t.revisionA },
            { value: "B", label: t.revisionB },
          ]}
        />
        <p className={classes.hint}>{draft.revision === "A" ? t.revisionHintA : t.revisionHintB}</p>
        <DeviceSelect
          label={t.from}
          placeholder={fromHint}
          value={draft.from === UNKNOWN ? null : draft.from}
          onChange={(from) => change({ from: from ?? "", to: "" })}
          searchable
        />
        <Group grow align="flex-end">
          <TextInput
            label={t.to}
            description={simulated ? undefined : t.toReal}
            placeholder="0812…"
            inputMode="tel"
            value={draft.to}
            onChange={(event) => change({ to: event.currentTarget.value })}
            onBlur={(event) => change({ to: phoneNumber(event.currentTarget.value) })}
          />
          {simulated && (
            <Select
              label={t.outcome}
              data={Object.keys(OUTCOMES).map((value) => ({
                value,
                label: t.outcomes[value as Outcome],
              }))}
              value={Object.entries(OUTCOMES).find(([, to]) => to === draft.to)?.[0] ?? null}
              onChange={(outcome) => change({ to: OUTCOMES[outcome as Outcome] })}
            />
          )}
        </Group>
        <SegmentedControl
          aria-label={t.type}
          value={draft.type}
          onChange={(value) => change({ type: value as Draft["type"] })}
          data={[
            { value: "text", label: t.text },
            { value: "media", label: t.media },
          ]}
        />
        {draft.type === "media" && (
          <TextInput
            label={t.url}
            type="url"
            value={draft.url}
            onChange={(event) => change({ url: event.currentTarget.value })}
          />
        )}
        <Textarea
          label={draft.type === "media" ? t.caption : t.body}
          autosize
          minRows={3}
          maxRows={8}
          value={draft.text}
          onChange={(event) => change({ text: event.currentTarget.value })}
        />
        <TextInput
          label={t.delay}
          value={draft.delay}
          onChange={(event) => change({ delay: event.currentTarget.value })}
        />
        {draft.revision === "A" && (
          <>
            <TextInput
              label={t.callback}
              type="url"
              placeholder="https://"
              value={draft.callback}
              onChange={(event) => change({ callback: event.currentTarget.value })}
            />
            <Switch
              label={t.typing}
              checked={draft.typing}
              onChange={(event) => change({ typing: event.currentTarget.checked })}
            />
          </>
        )}
      </Stack>
    </Panel>
  );
}

function Snippets({ draft, apiKey }: { draft: Draft; apiKey: string }) {
  const t = useText().developers;
  const [language, setLanguage] = useState<SnippetLanguage>("curl");
  const text = snippet(language, {
    base: location.origin,
    // A pasted key is not shown or copied in full.
    key: apiKey ? `${apiKey.slice(0, 10)}…` : "mpt_…",
    revision: draft.revision,
    body: bodyOf({ ...draft, to: draft.to || "628…" }),
  });
  return (
    <Tabs
      className={classes.snippets}
      value={language}
      onChange={(value) => setLanguage(value as SnippetLanguage)}
    >
      <Tabs.List>
        {LANGUAGES.map((name) => (
          <Tabs.Tab key={name} value={name}>
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <span className={classes.copy}>
        <Copy value={text} />
      </span>
      {LANGUAGES.map((name) => (
        <Tabs.Panel key={name} value={name} pt="xs">
          {name === language && <Code>{text}</Code>}
        </Tabs.Panel>
      ))}
      <span className={classes.hidden}>{t.request}</span>
    </Tabs>
  );
}

interface TryProps {
  draft: Draft;
  apiKey: string;
  setKey: (key: string) => void;
}

function Try({ draft, apiKey, setKey }: TryProps) {
  const t = useText().developers;
  const { can } = useSession();
  const send = useMutation({
    mutationFn: () => sendWithKey(apiKey, draft.revision, bodyOf(draft)),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    send.mutate();
  };
  const answer = send.data;
  const data = answer?.body["data"] as { requestId?: string } | undefined;
  return (
    <Section
      title={t.tryTitle}
      lead={
        <>
          {can("account:manage") ? t.howToSend : t.howToSendOperator}
          {can("account:manage") && (
            <>
              {" "}
              <Link href="/keys">{t.toKeys}</Link>
            </>
          )}
          {can("send") && (
            <>
              {" · "}
              <Link href="/send">{t.withoutKey}</Link>
            </>
          )}
        </>
      }
    >
      <form onSubmit={submit}>
        <Group align="flex-end" gap="sm" wrap="nowrap">
          <PasswordInput
            className={classes.key}
            label={t.key}
            description={t.keyHint}
            autoComplete="off"
            value={apiKey}
            onChange={(event) => setKey(event.currentTarget.value.trim())}
          />
          <Button type="submit" disabled={!apiKey || !draft.to} loading={send.isPending}>
            {t.tryIt}
          </Button>
        </Group>
      </form>
      <Stack gap="sm" mt="sm">
        <ProblemNote error={send.error} />
        {answer && <Code>{`HTTP ${answer.status}\n${JSON.stringify(answer.body, null, 2)}`}</Code>}
        {data?.requestId && (
          <Anchor component={Link} href={`/messages/${data.requestId}`} size="sm">
            {t.seeMessage}
          </Anchor>
        )}
      </Stack>
    </Section>
  );
}
