// A range of time, behind a button that shows it: a usual one, or two moments.
import { Button, Group, Input, Popover, Skeleton, Stack } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { type FormEvent, lazy, Suspense, useState } from "react";
import { useWords } from "../../texts/index.tsx";
import { Icon } from "../../ui/icon.tsx";
import classes from "./messages.module.css";
import { RANGES, rangeNamed } from "./time_ranges.ts";

const MomentField = lazy(() =>
  import("../../ui/moment_field.tsx").then((loaded) => ({ default: loaded.MomentField })),
);

export interface Range {
  since: string;
  until: string;
}

interface TimeFilterProps extends Range {
  set: (changed: Range) => void;
}

export function TimeFilter({ since, until, set }: TimeFilterProps) {
  const { t: texts, format } = useWords();
  const t = texts.messages;
  const [opened, setOpened] = useDisclosure(false);
  const parts = [
    since && t.from_(format.minute(since)),
    until && t.until_(format.minute(until)),
  ].filter(Boolean);
  const chosen = parts.join(", ") || t.anyTime;
  const apply = (range: Range) => {
    setOpened.close();
    set(range);
  };
  return (
    <Popover
      position="bottom-start"
      width={330}
      trapFocus
      returnFocus
      opened={opened}
      onChange={(open) => !open && setOpened.close()}
    >
      <Popover.Target>
        <Input
          component="button"
          type="button"
          pointer
          size="xs"
          aria-label={`${t.time}: ${chosen}`}
          title={chosen}
          onClick={setOpened.toggle}
          rightSection={<Icon name="chevron" size={14} />}
          rightSectionPointerEvents="none"
        >
          {parts.length === 0 ? (
            <Input.Placeholder>{chosen}</Input.Placeholder>
          ) : (
            <span className={classes.chosen}>{chosen}</span>
          )}
        </Input>
      </Popover.Target>
      <Popover.Dropdown>
        <RangeForm since={since} until={until} set={apply} />
      </Popover.Dropdown>
    </Popover>
  );
}

/** Searches when the range is complete, not at each keystroke. */
function RangeForm({ since, until, set }: TimeFilterProps) {
  const { t: texts } = useWords();
  const t = texts.messages;
  const [range, setRange] = useState<Range>({ since, until });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    set(range);
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <Group gap={6}>
          {RANGES.map((name) => (
            <Button
              key={name}
              size="compact-sm"
              variant="default"
              onClick={() => set(rangeNamed(name, Date.now()))}
            >
              {t.ranges[name]}
            </Button>
          ))}
        </Group>
        <Suspense fallback={<Skeleton height={112} />}>
          <MomentField
            label={t.since}
            value={range.since}
            onChange={(moment) => setRange({ ...range, since: moment })}
            size="xs"
          />
          <MomentField
            label={t.until}
            value={range.until}
            onChange={(moment) => setRange({ ...range, until: moment })}
            atEnd
            size="xs"
          />
        </Suspense>
        <Button type="submit" size="xs">
          {texts.common.apply}
        </Button>
      </Stack>
    </form>
  );
}
