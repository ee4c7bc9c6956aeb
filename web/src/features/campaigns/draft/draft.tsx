// A draft in four steps, each of which can be opened at any time. It is kept by itself.
import { Button, Group } from "@mantine/core";
import { useEffect, useRef } from "react";
import { Link } from "wouter";
import type { Tagged } from "../../../api/client.ts";
import type { Campaign } from "../../../api/types.ts";
import { useText } from "../../../texts/index.tsx";
import { Note } from "../../../ui/notes.tsx";
import { useFilters } from "../../../ui/url_state.ts";
import { Audience } from "./audience.tsx";
import classes from "./draft.module.css";
import type { DraftPart } from "./draft_part.ts";
import { useDraft } from "./draft_saving.ts";
import type { DraftShown, DraftStore } from "./draft_store.ts";
import { MessageStep } from "./message_step.tsx";
import { Review } from "./review.tsx";
import { Sending } from "./sending.tsx";
import { STEPS, type Step, stepAddress } from "./steps.ts";

const FILTERS = ["step"] as const;

export function Draft({ campaign }: { campaign: Tagged<Campaign> }) {
  const [shown, store] = useDraft(campaign);
  const { filters } = useFilters(FILTERS);
  const step = STEPS.find((one) => one === filters.step) ?? "audience";
  return (
    <>
      <Steps id={campaign.id} step={step} />
      <Saving shown={shown} />
      {shown.conflicts.length > 0 && <Conflict shown={shown} store={store} />}
      <StepShown key={step} step={step} shown={shown} store={store} />
      <Around id={campaign.id} step={step} />
    </>
  );
}

function Steps({ id, step }: { id: string; step: Step }) {
  const t = useText().draft;
  return (
    <nav aria-label={t.stepsLabel}>
      <ol className={classes.steps}>
        {STEPS.map((one, place) => (
          <li key={one}>
            <Link
              href={stepAddress(id, one)}
              className={classes.step}
              aria-current={one === step ? "step" : undefined}
            >
              <span className={classes.place}>{place + 1}</span>
              {t.steps[one]}
            </Link>
          </li>
        ))}
      </ol>
    </nav>
  );
}

function Saving({ shown }: { shown: DraftShown }) {
  const t = useText().draft;
  return (
    <p className={classes.saving} data-state={shown.saving} role="status">
      {t.saving[shown.saving]}
    </p>
  );
}

function Conflict({ shown, store }: { shown: DraftShown; store: DraftStore }) {
  const t = useText().draft;
  const names = shown.conflicts.map((field) => t.fields[field]).join(", ");
  return (
    <div className={classes.conflict}>
      <Note>{t.conflict(names)}</Note>
      <Group gap="xs" mt="xs">
        <Button size="xs" variant="default" onClick={() => store.keepMine()}>
          {t.keepMine}
        </Button>
        <Button size="xs" variant="default" onClick={() => store.takeTheirs()}>
          {t.takeTheirs}
        </Button>
      </Group>
    </div>
  );
}

interface StepShownProps {
  step: Step;
  shown: DraftShown;
  store: DraftStore;
}

function StepShown({ step, shown, store }: StepShownProps) {
  const t = useText().draft;
  const heading = useHeadingFocus(step);
  const { draft, refused } = shown;
  const part: DraftPart = { draft, refused, change: (fields) => store.change(fields) };
  return (
    <>
      <h2 ref={heading} tabIndex={-1} className={classes.stepTitle}>
        {t.steps[step]}
      </h2>
      {step === "audience" && <Audience draft={draft} />}
      {step === "message" && <MessageStep {...part} shown={shown} />}
      {step === "sending" && <Sending {...part} />}
      {step === "review" && <Review {...part} shown={shown} store={store} />}
    </>
  );
}

let last: Step | undefined; // The step of which the heading was shown.

/** Moves the focus to a step that was opened from another one, whose controls are gone. */
function useHeadingFocus(step: Step) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (last !== undefined && last !== step) heading.current?.focus();
    last = step;
    return () => {
      // The page itself was left, unless another step follows at once.
      setTimeout(() => {
        if (!document.querySelector(`.${classes.stepTitle}`)) last = undefined;
      });
    };
  }, [step]);
  return heading;
}

function Around({ id, step }: { id: string; step: Step }) {
  const t = useText().draft;
  const place = STEPS.indexOf(step);
  const before = STEPS[place - 1];
  const after = STEPS[place + 1];
  return (
    <Group justify="space-between" mt="xl">
      {before ? (
        <Button variant="default" component={Link} href={stepAddress(id, before)}>
          {t.back(t.steps[before])}
        </Button>
      ) : (
        <span />
      )}
      {after && (
        <Button component={Link} href={stepAddress(id, after)}>
          {t.next(t.steps[after])}
        </Button>
      )}
    </Group>
  );
}
