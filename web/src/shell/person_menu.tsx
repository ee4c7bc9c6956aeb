// The person's menu: settings, theme, language, signing out.
import { Menu } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { Link } from "wouter";
import { signOut } from "../api/people.ts";
import { useSession } from "../session/session.tsx";
import { becomeSomebody } from "../session/who.ts";
import { SCHEMES, useScheme } from "../style/scheme.tsx";
import { useWords } from "../texts/index.tsx";
import { Icon } from "../ui/icon.tsx";
import { useNotices } from "../ui/problem_note.tsx";
import classes from "./shell.module.css";

export function PersonMenu() {
  const { t, language, setLanguage } = useWords();
  const { session } = useSession();
  const { scheme, setScheme } = useScheme();
  const queries = useQueryClient();
  const notices = useNotices();
  const leave = async () => {
    try {
      await signOut();
    } catch (error) {
      notices.failed(error);
      return;
    }
    becomeSomebody(queries, null);
  };
  const names = { auto: t.shell.themeAuto, light: t.shell.themeLight, dark: t.shell.themeDark };
  const next = SCHEMES[(SCHEMES.indexOf(scheme) + 1) % SCHEMES.length] ?? "auto";
  return (
    <Menu width={230} position="top-start">
      <Menu.Target>
        <button type="button" className={classes.trigger}>
          <span className={classes.initial} aria-hidden="true">
            {session.person.email.slice(0, 1).toUpperCase()}
          </span>
          <span className={classes.triggerText}>{session.person.email}</span>
          <Icon name="more" size={15} />
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          component={Link}
          href="/settings"
          leftSection={<Icon name="settings" size={16} />}
        >
          {t.shell.settings}
        </Menu.Item>
        <Menu.Item
          closeMenuOnClick={false}
          leftSection={<Icon name="sun" size={16} />}
          onClick={() => setScheme(next)}
        >
          {t.shell.theme}: {names[scheme]}
        </Menu.Item>
        <Menu.Item
          closeMenuOnClick={false}
          leftSection={<Icon name="globe" size={16} />}
          onClick={() => setLanguage(language === "id" ? "en" : "id")}
        >
          {language === "id" ? "English" : "Bahasa Indonesia"}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item leftSection={<Icon name="signOut" size={16} />} onClick={leave}>
          {t.shell.signOut}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
