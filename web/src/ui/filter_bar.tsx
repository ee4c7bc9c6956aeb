import { Button } from "@mantine/core";
import type { ReactNode } from "react";
import { useText } from "../texts/index.tsx";
import classes from "./filter_bar.module.css";

interface FilterBarProps {
  any: boolean;
  onClear: () => void;
  children: ReactNode;
}

export function FilterBar({ any, onClear, children }: FilterBarProps) {
  const t = useText().common;
  return (
    <search className={classes.bar} aria-label={t.filters}>
      {children}
      {any && (
        <Button className={classes.clear} variant="subtle" color="gray" size="xs" onClick={onClear}>
          {t.clearFilters}
        </Button>
      )}
    </search>
  );
}
