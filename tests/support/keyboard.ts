// Observes the focus in the web app, for tests that use only the keyboard.
import type { Page } from "playwright-core";

export interface Focus {
  id: string;
  name: string; // The accessible name, or the text.
  dialog: string; // The name of its dialog.
  inMain: boolean;
  seen: boolean; // It has a visible mark, and is on the screen.
}

/** The element with the focus. */
export function focus(page: Page): Promise<Focus> {
  return page.evaluate(async () => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    for (let frames = 0; frames < 3; frames += 1) await frame(); // Until colours have changed.
    const element = document.activeElement as HTMLElement;
    const textOf = (ids: string | null) =>
      (ids ?? "").split(" ").map((id) => document.getElementById(id)?.textContent ?? "").join(" ");
    const nameOf = (one: Element) =>
      one.getAttribute("aria-label") ??
      ((one as HTMLInputElement).labels?.[0]?.textContent?.replace(/ \*$/, "") ||
        textOf(one.getAttribute("aria-labelledby")).trim() ||
        one.textContent?.trim() ||
        "");
    const style = getComputedStyle(element);
    const accent = document.createElement("i");
    accent.style.color = "var(--mantine-primary-color-filled)";
    document.body.append(accent);
    const accentColour = getComputedStyle(accent).color;
    accent.remove();
    const outlined = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0;
    // Fields mark the focus by their border; the only field of the Ctrl+K window has just a caret.
    const isBare = element.matches("input") && style.borderTopWidth === "0px";
    const marked = outlined || style.borderTopColor === accentColour || isBare;
    // A radio button that its label draws.
    const label = element.matches("input[type=radio]") && element.nextElementSibling;
    const labelled = label && getComputedStyle(label).outlineStyle !== "none";
    const menu = element.matches("[role=menuitem]") && style.backgroundColor !== "rgba(0, 0, 0, 0)";
    const box = (label || element).getBoundingClientRect();
    const onScreen = box.bottom > 0 && box.right > 0 && box.top < innerHeight;
    const dialog = element.closest("[role=dialog]");
    return {
      id: element.id,
      name: nameOf(element),
      dialog: dialog ? nameOf(dialog) : "",
      inMain: element.closest("main") !== null,
      seen: Boolean(marked || labelled || menu) && onScreen,
    };
  });
}

const STOPS_MAX = 80;

/** Presses Tab until an element with that name has the focus. */
export async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  const passed: string[] = [];
  for (let stop = 0; stop < STOPS_MAX; stop += 1) {
    await page.keyboard.press("Tab");
    const now = await focus(page);
    const fits = typeof name === "string" ? now.name === name : name.test(now.name);
    if (fits && now.seen) return;
    if (fits) throw new Error(`the focus is not seen on ${name}`);
    passed.push(now.name);
  }
  throw new Error(`Tab does not lead to ${name}, but to ${passed.join(", ")}`);
}

/** Presses Tab often; returns the dialogs that had the focus, and elements that did not show it. */
export async function tabsAround(page: Page): Promise<{ dialogs: string[]; unseen: string[] }> {
  const dialogs = new Set<string>();
  const unseen = new Set<string>();
  for (const key of [...Array<string>(14).fill("Tab"), ...Array<string>(6).fill("Shift+Tab")]) {
    await page.keyboard.press(key);
    const now = await focus(page);
    dialogs.add(now.dialog);
    if (!now.seen) unseen.add(now.name);
  }
  return { dialogs: [...dialogs], unseen: [...unseen] };
}
