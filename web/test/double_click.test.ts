// A double click where one is enough does nothing twice.
import { act, createElement, type ReactNode } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { useAct } from "../src/features/campaigns/act.ts";
import { RowMenu } from "../src/ui/row_menu.tsx";
import { found, Mounted } from "./support/mounted.ts";

let page: Mounted;
let done: number;

beforeEach(() => {
  page = new Mounted();
  done = 0;
  // Nothing has a size here, so a menu finds nothing that could have the focus, and says so.
  vi.spyOn(console, "warn").mockReturnValue();
});
afterEach(async () => {
  await page.remove();
  vi.restoreAllMocks();
});

const click = (button: Element) =>
  act(async () => void button.dispatchEvent(new MouseEvent("click", { bubbles: true })));

test("on an action of a row's menu", async () => {
  const invite = {
    name: "Invite again",
    run: () => {
      done += 1;
    },
  };
  await page.show(createElement(RowMenu, { of: "rina@example.com", actions: [invite] }));
  await click(found("button"));
  const item = found('[role="menuitem"]');
  await click(item);
  await click(item);
  expect(done).toBe(1);
});

function Copy({ copy }: { copy: () => Promise<void> }): ReactNode {
  const { act } = useAct();
  return createElement("button", { type: "button", onClick: () => void act(copy, "copied") });
}

test("on what makes a copy of a campaign", async () => {
  let answer: () => void = () => undefined;
  const copy = () => {
    done += 1;
    return new Promise<void>((resolve) => {
      answer = resolve;
    });
  };
  await page.show(createElement(Copy, { copy }));
  await click(found("button"));
  await click(found("button"));
  expect(done).toBe(1);
  await act(async () => answer());
  await click(found("button"));
  expect(done).toBe(2);
});
