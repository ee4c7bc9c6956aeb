// What stands in the way of a start, and the step in which it is mended.
import { Link } from "wouter";
import type { CampaignProblem } from "../../../api/types.ts";
import { useWords } from "../../../texts/index.tsx";
import classes from "./draft.module.css";
import { type Step, stepAddress } from "./steps.ts";

type Code = CampaignProblem["code"];

const MENDED_IN: Record<Code, Step | "account"> = {
  no_recipients: "audience",
  foreign: "audience",
  no_message: "message",
  unknown_column: "message",
  text_too_long: "message",
  optout_missing: "message",
  media: "message",
  media_unchecked: "message",
  template: "message",
  template_unchecked: "message",
  empty_value: "message",
  consent: "sending",
  device: "sending",
  credit: "account",
};

const ADVICE: readonly Code[] = [
  "empty_value",
  "device",
  "foreign",
  "media_unchecked",
  "template_unchecked",
];

export function blocks({ code }: CampaignProblem): boolean {
  return !ADVICE.includes(code);
}

interface ProblemsProps {
  id: string;
  problems: CampaignProblem[];
  here: Step; // Where they are shown, to which no link leads.
}

export function Problems({ id, problems, here }: ProblemsProps) {
  const { t: texts, format } = useWords();
  const t = texts.draft;
  if (problems.length === 0) return null;
  return (
    <ul className={classes.problems}>
      {problems.map((problem) => {
        const step = MENDED_IN[problem.code];
        return (
          <li key={`${problem.code} ${problem.detail}`} data-blocks={blocks(problem) || undefined}>
            <strong>
              {t.problems[problem.code]}
              {problem.count > 1 && ` (${format.number(problem.count)})`}
            </strong>
            <span>{problem.detail}</span>
            {step === "account" && <Link href="/account">{t.toAccount}</Link>}
            {step !== "account" && step !== here && (
              <Link href={stepAddress(id, step)}>{t.mend(t.steps[step])}</Link>
            )}
          </li>
        );
      })}
    </ul>
  );
}
