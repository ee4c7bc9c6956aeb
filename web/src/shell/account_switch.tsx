// Chooses the account that the pages show.
import { Menu } from "@mantine/core";
import { useSession } from "../session/session.tsx";
import { useText } from "../texts/index.tsx";
import { Icon } from "../ui/icon.tsx";
import classes from "./shell.module.css";

const SHOWN_MAX = 12; // Ctrl+K finds the others.

export function AccountSwitch({ onSearch }: { onSearch: () => void }) {
  const t = useText().shell;
  const { account, accounts, hasMore, setAccount } = useSession();
  if (!account) return null;
  const name = (
    <>
      <span className={classes.initial} aria-hidden="true">
        {account.name.slice(0, 1).toUpperCase()}
      </span>
      <span className={classes.triggerText}>{account.name}</span>
    </>
  );
  if (accounts.length < 2) return <div className={classes.trigger}>{name}</div>;
  return (
    <Menu width={220} position="bottom-start">
      <Menu.Target>
        <button type="button" className={classes.trigger} title={t.switchAccount}>
          {name}
          <Icon name="chevron" size={15} />
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t.switchAccount}</Menu.Label>
        {accounts.slice(0, SHOWN_MAX).map((one) => (
          <Menu.Item
            key={one.id}
            onClick={() => setAccount(one.id)}
            rightSection={one.id === account.id ? <Icon name="check" size={15} /> : null}
          >
            {one.name}
          </Menu.Item>
        ))}
        {(hasMore || accounts.length > SHOWN_MAX) && (
          <Menu.Item leftSection={<Icon name="search" size={15} />} onClick={onSearch}>
            {t.moreAccounts}
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
