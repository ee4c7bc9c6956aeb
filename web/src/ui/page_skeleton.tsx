// The placeholder of a page whose code is loading.
import { Skeleton, Stack } from "@mantine/core";
import classes from "./page.module.css";

export function PageSkeleton() {
  return (
    <div className={classes.page}>
      <Stack gap="md">
        <Skeleton height={22} width={180} />
        <Skeleton height={12} width={320} />
        <Skeleton height={240} radius="md" mt="md" />
      </Stack>
    </div>
  );
}
