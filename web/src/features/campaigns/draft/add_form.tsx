// Adds what a person chose to the recipients of a draft.
import { Button, Group, Stack } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import type { FormEvent, ReactNode } from "react";
import { addRecipients } from "../../../api/campaigns.ts";
import type { NewRecipients, Uploaded } from "../../../api/types.ts";
import { useText } from "../../../texts/index.tsx";
import { ProblemNote } from "../../../ui/problem_note.tsx";

interface AddFormProps {
  id: string;
  chosen: NewRecipients;
  empty: boolean; // Nothing is chosen.
  onAdded: (answer: Uploaded) => void;
  children: ReactNode; // The field.
}

export function AddForm({ id, chosen, empty, onAdded, children }: AddFormProps) {
  const t = useText().audience;
  const adding = useMutation({ mutationFn: () => addRecipients(id, chosen), onSuccess: onAdded });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    adding.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        {children}
        <ProblemNote error={adding.error} />
        <Group>
          <Button type="submit" loading={adding.isPending} disabled={empty}>
            {t.addNumbers}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
