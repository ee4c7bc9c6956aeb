// Ctrl+K: finds pages, accounts and messages by the typed text.
import { Modal } from "@mantine/core";
import { type KeyboardEvent, useEffect, useId, useState } from "react";
import { useLocation } from "wouter";
import { useAllAccounts, useSession } from "../session/session.tsx";
import { useText } from "../texts/index.tsx";
import { Icon, type IconName } from "../ui/icon.tsx";
import { looksLikeNumber, phoneNumber } from "../ui/phone_number.ts";
import { usePageGroups } from "./pages.ts";
import classes from "./palette.module.css";

interface Choice {
  key: string;
  name: string;
  icon: IconName;
  run: () => void;
}

const CHOICES_MAX = 30;
const REQUEST_ID = /^[0-9a-f]{8}-[0-9a-f-]{20,}$/i;

export function Palette({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const t = useText().shell;
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      withCloseButton={false}
      centered={false}
      yOffset="12vh"
      padding={0}
      attributes={{ content: { "aria-label": t.palette } }}
    >
      <Search onClose={onClose} />
    </Modal>
  );
}

function Search({ onClose }: { onClose: () => void }) {
  const t = useText().shell;
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const list = useId();
  const choices = useChoices(text.trim());
  const current = choices[Math.min(at, choices.length - 1)];
  // biome-ignore lint/correctness/useExhaustiveDependencies: another text begins at its first.
  useEffect(() => setAt(0), [text]);
  const run = (choice: Choice | undefined) => {
    if (!choice) return;
    onClose();
    choice.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "ArrowDown") setAt(Math.min(at + 1, choices.length - 1));
    else if (event.key === "ArrowUp") setAt(Math.max(at - 1, 0));
    else if (event.key === "Enter") run(current);
    else return;
    event.preventDefault();
  };
  return (
    <div>
      <input
        data-autofocus
        className={classes.input}
        placeholder={t.palette}
        aria-label={t.palette}
        role="combobox"
        aria-expanded="true"
        aria-controls={list}
        aria-activedescendant={current ? `${list}-${current.key}` : undefined}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
        autoComplete="off"
        spellCheck={false}
      />
      <div id={list} role="listbox" aria-label={t.palette} className={classes.list}>
        {choices.map((choice) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the input hears the keys.
          // biome-ignore lint/a11y/useFocusableInteractive: the input keeps the focus.
          <div
            key={choice.key}
            ref={choice === current ? show : undefined}
            id={`${list}-${choice.key}`}
            role="option"
            aria-selected={choice === current}
            className={classes.choice}
            onMouseMove={() => setAt(choices.indexOf(choice))}
            onClick={() => run(choice)}
          >
            <Icon name={choice.icon} size={16} />
            {choice.name}
          </div>
        ))}
      </div>
      {choices.length === 0 && <p className={classes.nothing}>{t.paletteEmpty}</p>}
    </div>
  );
}

/** Scrolls the choice into view. */
function show(choice: HTMLElement | null): void {
  choice?.scrollIntoView({ block: "nearest" });
}

function useChoices(text: string): Choice[] {
  const t = useText().shell;
  const [, go] = useLocation();
  const { account, setAccount, can } = useSession();
  const accounts = useAllAccounts();
  const pages = usePageGroups().flatMap((group) => group.pages);
  const settings = { href: "/settings", name: t.settings, icon: "settings" as const };
  const choices: Choice[] = [];
  if (REQUEST_ID.test(text)) {
    choices.push({
      key: "message",
      name: t.openMessage(text),
      icon: "messages",
      run: () => go(`/messages/${text}`),
    });
  } else if (can("messages:manage") && looksLikeNumber(text)) {
    const number = phoneNumber(text);
    choices.push({
      key: "number",
      name: t.findNumber(number),
      icon: "search",
      run: () => go(`/messages?to=${number}`),
    });
    if (can("campaigns:manage")) {
      choices.push({
        key: "contact",
        name: t.findContact(number),
        icon: "contacts",
        run: () => go(`/contacts?text=${number}`),
      });
    }
  }
  for (const page of [...pages, settings]) {
    choices.push({ key: page.href, name: page.name, icon: page.icon, run: () => go(page.href) });
  }
  for (const one of accounts) {
    if (one.id === account?.id) continue;
    choices.push({
      key: one.id,
      name: t.showAccount(one.name),
      icon: "accounts",
      run: () => setAccount(one.id),
    });
  }
  const wanted = text.toLowerCase();
  const fits = ({ key, name }: Choice) =>
    ["message", "number", "contact"].includes(key) || name.toLowerCase().includes(wanted);
  return choices.filter(fits).slice(0, CHOICES_MAX);
}
