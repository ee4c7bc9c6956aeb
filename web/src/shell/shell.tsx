// The frame of all pages: navigation at the side, or on a phone behind a button.
import { ActionIcon, Drawer } from "@mantine/core";
import { useDisclosure, useHotkeys } from "@mantine/hooks";
import { type ReactNode, useEffect, useRef } from "react";
import { Link, useLocation } from "wouter";
import { useIsLive } from "../live/live.tsx";
import mark from "../style/merpati.svg";
import { useText } from "../texts/index.tsx";
import { Icon } from "../ui/icon.tsx";
import { AccountSwitch } from "./account_switch.tsx";
import { LiveMark, LostNote } from "./live_mark.tsx";
import { usePageGroups } from "./pages.ts";
import { Palette } from "./palette.tsx";
import { PersonMenu } from "./person_menu.tsx";
import classes from "./shell.module.css";

export function Shell({ children }: { children: ReactNode }) {
  const t = useText();
  const [location] = useLocation();
  const live = useIsLive();
  const [menu, setMenu] = useDisclosure(false);
  const [palette, setPalette] = useDisclosure(false);
  useHotkeys([["mod+K", setPalette.toggle]], []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the menu ends with the page.
  useEffect(setMenu.close, [location]);
  useFocusOnNewPage(location.split("/")[1] ?? "");
  const rail = <Rail onSearch={setPalette.open} />;
  return (
    <div className={classes.shell}>
      <a className={classes.skip} href="#content">
        {t.common.skip}
      </a>
      <aside className={classes.side}>{rail}</aside>
      <header className={classes.top}>
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          onClick={setMenu.open}
          aria-label={t.shell.menu}
        >
          <Icon name="menu" size={20} />
        </ActionIcon>
        <Brand />
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          onClick={setPalette.open}
          aria-label={t.common.search}
        >
          <Icon name="search" size={20} />
        </ActionIcon>
      </header>
      <Drawer
        opened={menu}
        onClose={setMenu.close}
        position="left"
        size={280}
        withCloseButton={false}
        classNames={{ body: classes.drawer }}
        attributes={{ content: { "aria-label": t.shell.menu } }}
      >
        {rail}
      </Drawer>
      <main id="content" className={classes.main} tabIndex={-1} data-live={live}>
        <LostNote />
        {children}
      </main>
      <Palette opened={palette} onClose={setPalette.close} />
    </div>
  );
}

/** Moves the focus to a new page, so that keyboard users do not continue at the link behind it. */
function useFocusOnNewPage(page: string): void {
  const shown = useRef(page);
  useEffect(() => {
    if (shown.current === page) return;
    shown.current = page;
    document.getElementById("content")?.focus({ preventScroll: true });
  }, [page]);
}

function Brand() {
  const t = useText();
  return (
    <Link href="/" className={classes.brand}>
      <img src={mark} alt="" width={24} height={24} />
      {t.common.app}
    </Link>
  );
}

function Rail({ onSearch }: { onSearch: () => void }) {
  const t = useText();
  const groups = usePageGroups();
  const [location] = useLocation();
  const isCurrent = (href: string) =>
    href === "/" ? location === "/" : location === href || location.startsWith(`${href}/`);
  return (
    <div className={classes.rail}>
      <Brand />
      <AccountSwitch onSearch={onSearch} />
      <button type="button" className={classes.search} onClick={onSearch}>
        <Icon name="search" size={15} />
        {t.shell.paletteHint}
        <kbd>Ctrl K</kbd>
      </button>
      <nav aria-label={t.shell.navigation} className={classes.nav}>
        {groups.map((group) => (
          <div key={group.title} className={classes.group}>
            {group.title && <div className={classes.groupTitle}>{group.title}</div>}
            {group.pages.map((page) => (
              <Link
                key={page.href}
                href={page.href}
                className={classes.link}
                aria-current={isCurrent(page.href) ? "page" : undefined}
              >
                <Icon name={page.icon} size={17} />
                {page.name}
              </Link>
            ))}
          </div>
        ))}
      </nav>
      <LiveMark />
      <PersonMenu />
    </div>
  );
}
