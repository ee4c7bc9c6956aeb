// A day and a time of day, in the app's language. The day is typed, or chosen from a calendar.
import "@mantine/dates/styles.css";
import "dayjs/locale/en-gb";
import "dayjs/locale/id";
import { ActionIcon, Group, Input, type MantineSize } from "@mantine/core";
import { DateInput, TimePicker } from "@mantine/dates";
import { useId, useState } from "react";
import { useWords } from "../texts/index.tsx";
import { Icon } from "./icon.tsx";
import { parseDay, partsOf, withDay, withTime } from "./moment.ts";
import classes from "./moment_field.module.css";

interface MomentFieldProps {
  label: string;
  description?: string;
  value: string; // An instant in the gateway's form; empty: none.
  onChange: (value: string) => void;
  atEnd?: boolean; // A day without a time means its end, not its start.
  size?: MantineSize;
  error?: string | undefined;
}

export function MomentField({ value, onChange, atEnd = false, ...props }: MomentFieldProps) {
  const { t, language } = useWords();
  const [typed, setTyped] = useState("");
  const [calendar, setCalendar] = useState(false);
  const id = useId();
  const parts = partsOf(value);
  const isWrong = typed !== "" && parseDay(typed, Date.now()) === null;
  return (
    <Input.Wrapper
      label={props.label}
      labelProps={{ htmlFor: id }}
      description={props.description}
      descriptionProps={{ mb: 5 }}
      error={isWrong ? t.common.dateWrong : props.error}
      size={props.size}
    >
      <Group gap={6} wrap="nowrap" align="flex-start">
        <DateInput
          id={id}
          flex={1}
          miw={0}
          size={props.size}
          placeholder={t.common.datePlaceholder}
          valueFormat="DD/MM/YYYY"
          dateParser={(text) => parseDay(text, Date.now())}
          locale={language === "id" ? "id" : "en-gb"}
          firstDayOfWeek={1}
          value={parts?.day ?? null}
          onChange={(day) => {
            setTyped("");
            setCalendar(false);
            onChange(day ? withDay(value, day, atEnd) : "");
          }}
          onInput={(event) => setTyped(event.currentTarget.value.trim())}
          fixOnBlur={!isWrong}
          error={isWrong}
          clearable
          clearButtonProps={{ "aria-label": t.common.clear, className: classes.clear }}
          // Opened by its button alone, because it would cover what is below the field.
          popoverProps={{ opened: calendar, onChange: setCalendar, withinPortal: false }}
          leftSection={
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={t.common.calendar}
              aria-expanded={calendar}
              onClick={() => setCalendar(!calendar)}
            >
              <Icon name="calendar" size={16} />
            </ActionIcon>
          }
          leftSectionPointerEvents="all"
          nextLabel={t.common.nextMonth}
          previousLabel={t.common.previousMonth}
        />
        <TimePicker
          size={props.size}
          disabled={!parts}
          value={parts?.time ?? ""}
          onChange={(time) => {
            if (parts && time !== "" && time.slice(0, 5) !== parts.time) {
              onChange(withTime(value, time));
            }
          }}
          hoursInputLabel={`${props.label}: ${t.common.hours}`}
          minutesInputLabel={`${props.label}: ${t.common.minutes}`}
        />
      </Group>
    </Input.Wrapper>
  );
}
