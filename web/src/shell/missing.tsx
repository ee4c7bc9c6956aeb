import { Button } from "@mantine/core";
import { Link } from "wouter";
import { useText } from "../texts/index.tsx";
import { Empty } from "../ui/notes.tsx";
import { Page } from "../ui/page.tsx";

export default function Missing() {
  const t = useText().shell;
  return (
    <Page title={t.pageMissing}>
      <Empty icon="search" title={t.pageMissing} text={t.pageMissingText}>
        <Button component={Link} href="/">
          {t.toOverview}
        </Button>
      </Empty>
    </Page>
  );
}
