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
  // Escape closes dialogs that were opened from the drawer first, one at a time.
  useWindowEvent("keydown", (event) => {
    if (event.key !== "Escape" || !opened || !(event.target instanceof Element)) return;
    const isOfAnOpenList = event.target.getAttribute("data-mantine-stop-propagation") === "true";
    const inWindow = event.target.closest('[role="dialog"]');
    if (!isOfAnOpenList && (!inWindow || inWindow.contains(content.current))) onClose();
  });
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
