// Before a pairing: what happens to waiting messages, as the number may be another phone's now.
import { Button, Loader, Radio, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { PairingWish } from "../../api/types.ts";
import { devices } from "../../queries/devices.ts";
import { useWords } from "../../texts/index.tsx";
import { TypedName } from "../../ui/confirm.tsx";
import { ProblemNote } from "../../ui/problem_note.tsx";
import { countText } from "../../ui/waiting.ts";

export type Queue = NonNullable<PairingWish["queue"]>;

interface QueueFirstProps {
  number: string;
  onChosen: (queue: Queue) => void; // Called at once if nothing waits.
}

export function QueueFirst({ number, onChosen }: QueueFirstProps) {
  const { t, format } = useWords();
  const [choice, setChoice] = useState<Queue>("hold");
  const [typed, setTyped] = useState("");
  const discards = choice === "discard";
  const queue = useQuery({
    ...devices.queue(number),
    staleTime: 0,
    gcTime: 0,
  });
  const isEmpty = queue.data?.waiting === 0;
  useEffect(() => {
    if (isEmpty) onChosen("hold");
  }, [isEmpty, onChosen]);
  if (queue.error) return <ProblemNote error={queue.error} />;
  if (!queue.data || isEmpty) return <Loader size="sm" />;
  return (
    <Stack gap="md">
      <Radio.Group
        label={t.devices.queueQuestion(countText(queue.data, format))}
        value={choice}
        onChange={(value) => setChoice(value as Queue)}
      >
        <Stack gap="xs" mt="xs">
          {(["hold", "send", "discard"] as const).map((value) => (
            <Radio key={value} value={value} label={t.devices.queueChoices[value]} />
          ))}
        </Stack>
      </Radio.Group>
      {discards && <TypedName name={number} value={typed} onChange={setTyped} />}
      <Button disabled={discards && typed !== number} onClick={() => onChosen(choice)}>
        {t.devices.pair}
      </Button>
    </Stack>
  );
}
