// Steps from an empty account to the first callback. Disappears when all are done.
import { Button } from "@mantine/core";
import { Link } from "wouter";
import { useSession } from "../../session/session.tsx";
import { useText } from "../../texts/index.tsx";
import { isOnline } from "../../ui/device_state.tsx";
import { Icon } from "../../ui/icon.tsx";
import classes from "./overview.module.css";
import type { Overviewed } from "./overview_data.ts";

interface Step {
  key: string;
  name: string;
  text: string;
  href: string;
  done: boolean;
}

export function Checklist({ shown }: { shown: Overviewed }) {
  const t = useText();
  const { can } = useSession();
  const { devices, messages, delivered, keys } = shown;
  const first = devices.data?.items[0];
  const words = t.overview.steps;
  const steps: Step[] = [
    {
      key: "device",
      name: words.device,
      text: words.deviceText,
      href: "/devices",
      done: first !== undefined,
    },
    {
      key: "pair",
      name: words.pair,
      text: words.pairText,
      href: first ? `/devices/${first.number}` : "/devices",
      done: devices.data?.items.some(isOnline) ?? false,
    },
    {
      key: "key",
      name: words.key,
      text: words.keyText,
      href: "/keys",
      done: keys.data?.items.some((key) => key.state === "active") ?? false,
    },
    {
      key: "send",
      name: words.send,
      text: words.sendText,
      href: "/developers",
      done: (messages.data?.items.length ?? 0) > 0,
    },
    {
      key: "callback",
      name: words.callback,
      text: words.callbackText,
      href: "/account",
      done: (delivered.data?.items.length ?? 0) > 0,
    },
  ];
  const known = devices.data && messages.data && delivered.data && keys.data;
  // Hidden from people who may not do the steps.
  if (!can("account:manage") || !known || steps.every((step) => step.done)) return null;
  const current = steps.find((step) => !step.done);
  return (
    <section className={classes.checklist}>
      <h2 className={classes.checklistTitle}>{t.overview.start}</h2>
      <p className={classes.lead}>{t.overview.startLead}</p>
      <ol className={classes.steps}>
        {steps.map((step, place) => (
          <li key={step.key} className={classes.step} data-done={step.done || undefined}>
            <span className={classes.mark}>
              {step.done ? <Icon name="check" size={14} /> : place + 1}
            </span>
            <div className={classes.about}>
              <div className={classes.stepName}>
                {step.done || step === current ? (
                  step.name
                ) : (
                  <Link href={step.href}>{step.name}</Link>
                )}
              </div>
              {!step.done && <p>{step.text}</p>}
            </div>
            {step === current && (
              <Button component={Link} href={step.href} size="xs">
                {step.name}
              </Button>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}
