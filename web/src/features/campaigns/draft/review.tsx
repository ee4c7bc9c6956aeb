// What will happen, what stands in the way, a test, and the start.
import { Button, Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { CampaignCheck } from "../../../api/types.ts";
import { campaigns } from "../../../queries/campaigns.ts";
import { useText } from "../../../texts/index.tsx";
import { Note, Quiet } from "../../../ui/notes.tsx";
import { Section } from "../../../ui/page.tsx";
import { ProblemNote } from "../../../ui/problem_note.tsx";
import classes from "./draft.module.css";
import type { DraftPart } from "./draft_part.ts";
import type { DraftShown, DraftStore } from "./draft_store.ts";
import { Estimate } from "./estimate.tsx";
import { Omitted } from "./omitted.tsx";
import { blocks, Problems } from "./problems.tsx";
import { Start } from "./start.tsx";
import { TestSend } from "./test_send.tsx";

interface ReviewProps extends DraftPart {
  shown: DraftShown;
  store: DraftStore;
}

export function Review({ shown, store, ...part }: ReviewProps) {
  const t = useText().draft;
  const { id, tag } = shown.stored;
  const { data, error, isFetching, refetch } = useQuery({
    ...campaigns.check(id, tag),
    placeholderData: (previous) => previous,
    retry: false,
  });
  const again = () => void refetch();
  return (
    <>
      <div aria-busy={!data && !error}>
        {data ? <Estimate check={data} draft={part.draft} /> : !error && <Skeleton height={88} />}
      </div>
      <ProblemNote error={error} />
      {data && <Verdict check={data} id={id} />}
      <div className={classes.block}>
        <Button variant="default" size="xs" loading={isFetching} onClick={again}>
          {t.check}
        </Button>
      </div>
      <Section title={t.omitted}>
        <Omitted draft={part.draft} recipients={data?.recipients} />
      </Section>
      <Section title={t.test} lead={t.testLead}>
        <TestSend id={id} store={store} />
      </Section>
      <Section title={t.start}>
        <Start {...part} store={store} check={data} onRefused={again} />
      </Section>
    </>
  );
}

function Verdict({ check, id }: { check: CampaignCheck; id: string }) {
  const t = useText().draft;
  const blocking = check.problems.filter(blocks);
  const others = check.problems.filter((one) => !blocks(one));
  return (
    <div className={classes.block} role="status">
      {check.ready ? <Quiet>{t.ready}</Quiet> : <Note>{t.notReady}</Note>}
      <Problems id={id} problems={blocking} here="review" />
      {others.length > 0 && <p className={classes.hint}>{t.look}</p>}
      <Problems id={id} problems={others} here="review" />
    </div>
  );
}
