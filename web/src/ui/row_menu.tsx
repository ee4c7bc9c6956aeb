// The menu of a row's actions, behind a button at its end.
import { ActionIcon, Menu } from "@mantine/core";
import { useState } from "react";
import { useText } from "../texts/index.tsx";
import { Icon } from "./icon.tsx";
import classes from "./row_menu.module.css";

interface RowAction {
  name: string;
  run: () => void;
  danger?: boolean; // The action is irreversible.
}

interface RowMenuProps {
  of: string; // The row's item, for the accessible name.
  actions: (RowAction | false)[];
}

export function RowMenu({ of, actions }: RowMenuProps) {
  const t = useText().common;
  const [opened, setOpened] = useState(false);
  const offered = actions.filter((action) => action !== false);
  return (
    <Menu position="bottom-end" opened={opened} onChange={setOpened}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="sm" aria-label={t.actions(of)}>
          <Icon name="more" size={17} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {offered.map((action) => (
          <Menu.Item
            key={action.name}
            className={action.danger ? classes.danger : undefined}
            // The second click of two meets a menu that is just closing.
            onClick={() => opened && action.run()}
          >
            {action.name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
