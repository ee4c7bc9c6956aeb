// The details of one record, beside its list.
import { Drawer } from "@mantine/core";
import { useWindowEvent } from "@mantine/hooks";
import { type ReactNode, useRef } from "react";
import { useText } from "../texts/index.tsx";

interface SideDrawerProps {
  title: ReactNode;
  size: number;
  opened: boolean;
  onClose: () => void;
  children: ReactNode;
}

export function SideDrawer({ title, size, opened, onClose, children }: SideDrawerProps) {
  const t = useText();
  const content = useRef<HTMLDivElement>(null);
  // Escape closes dialogs that were opened from the drawer first, one at a time. This listener
  // comes before theirs, so that the last dialog in the page is the one on top.
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || !opened || !(event.target instanceof Element)) return;
    const isOfAnOpenList = event.target.getAttribute("data-mantine-stop-propagation") === "true";
    const top = [...document.querySelectorAll('[role="dialog"]')].at(-1);
    if (!isOfAnOpenList && top?.contains(content.current)) onClose();
  };
  useWindowEvent("keydown", onKey, { capture: true });
  return (
    <Drawer
      opened={opened}
      onClose={onClose}
      closeOnEscape={false}
      title={title}
      size={size}
      closeButtonProps={{ "aria-label": t.common.close }}
    >
      <div ref={content}>{children}</div>
    </Drawer>
  );
}
