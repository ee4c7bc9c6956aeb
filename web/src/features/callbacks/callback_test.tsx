// Posts a signed test callback to a URL, and shows the answer.
import { Button, Stack, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { testCallback } from "../../api/callbacks.ts";
import { useWords } from "../../texts/index.tsx";
import { FormDialog } from "../../ui/dialog.tsx";
import { fieldProblems } from "../../ui/field_problems.ts";
import { Code } from "../../ui/notes.tsx";
import { State } from "../../ui/state.tsx";

export function TestCallback({ account }: { account: string }) {
  const { t, format } = useWords();
  const [opened, setOpened] = useDisclosure(false);
  const [url, setUrl] = useState("");
  const test = useMutation({
    mutationFn: () => testCallback({ account, ...(url && { url }) }),
  });
  const told = test.data;
  const facts = told && [
    told.status ? `HTTP ${told.status}` : t.callbacks.noAnswer,
    told.took_ms === null ? "" : format.duration(told.took_ms),
    told.error ?? "",
  ];
  return (
    <>
      <Button variant="default" onClick={setOpened.open}>
        {t.callbacks.test}
      </Button>
      <FormDialog
        title={t.callbacks.test}
        opened={opened}
        onClose={setOpened.close}
        action={t.callbacks.test}
        onSubmit={() => test.mutateAsync()}
        stays
      >
        <TextInput
          data-autofocus
          label={t.callbacks.url}
          error={fieldProblems(test.error).of("url")}
          description={t.callbacks.testHint}
          type="url"
          value={url}
          onChange={(event) => setUrl(event.currentTarget.value)}
        />
        {told && facts && (
          <Stack gap="xs">
            <State tone={told.delivered ? "good" : "bad"}>
              {facts.filter(Boolean).join(" · ")}
            </State>
            {told.answer && <Code>{told.answer}</Code>}
          </Stack>
        )}
      </FormDialog>
    </>
  );
}
