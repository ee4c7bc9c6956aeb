// Sends one message to one or a few people, without a key.
import { Button, Skeleton } from "@mantine/core";
import { Link } from "wouter";
import type { Device } from "../../api/types.ts";
import { useAccountId } from "../../session/session.tsx";
import { useText } from "../../texts/index.tsx";
import { isPaused } from "../../ui/device_state.tsx";
import { Empty } from "../../ui/notes.tsx";
import { Page } from "../../ui/page.tsx";
import { ProblemNote } from "../../ui/problem_note.tsx";
import { useAllDevices } from "../devices/all_devices.ts";
import { isOnline } from "../devices/device_select.tsx";
import { useFormStore } from "./form_store.ts";
import { MessageForm } from "./message_form.tsx";
import { Preview } from "./preview.tsx";
import { Results } from "./results.tsx";
import classes from "./send.module.css";
import { useSending } from "./sending.ts";

export default function Send() {
  const t = useText().send;
  const devices = useAllDevices();
  return (
    <Page title={t.title} lead={t.lead}>
      {devices.data ? (
        <Form devices={devices.data.items} />
      ) : (
        <>
          <ProblemNote error={devices.error} />
          {!devices.error && <Skeleton height={320} radius="md" />}
        </>
      )}
    </Page>
  );
}

function Form({ devices }: { devices: Device[] }) {
  const [form, store] = useFormStore();
  const [busy, send] = useSending(store, useAccountId());
  const from = form.from || firstSender(devices)?.number || "";
  const sender = devices.find((one) => one.number === from);
  if (devices.length === 0) return <NoDevice />;
  return (
    <>
      <div className={classes.columns}>
        <MessageForm
          form={form}
          from={from}
          sender={sender}
          busy={busy}
          change={(part) => store.change((present) => ({ ...present, ...part }))}
          onSend={() => void send()}
        />
        <Preview from={from} text={form.text} url={form.type === "media" ? form.url : undefined} />
      </div>
      <Results results={form.results} left={form.to.length > 0} />
    </>
  );
}

/** A device that sends at once, if there is one; one that reaches people before a simulated one. */
export function firstSender(devices: readonly Device[]): Device | undefined {
  const ready = devices.filter((one) => isOnline(one) && !isPaused(one));
  return ready.find((one) => !one.simulated) ?? ready[0] ?? devices[0];
}

function NoDevice() {
  const t = useText().send;
  return (
    <Empty icon="devices" title={t.noDevice} text={t.noDeviceText}>
      <Button component={Link} href="/devices">
        {t.noDeviceButton}
      </Button>
    </Empty>
  );
}
