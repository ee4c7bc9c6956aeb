// A form in a dialog that was closed before its answer came.
import { act, type ReactNode, useState } from "react";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Problem } from "../src/api/problem.ts";
import { FormDialog } from "../src/ui/dialog.tsx";
import { found, Mounted, submit } from "./support/mounted.ts";

let page: Mounted;
let answer: (error?: Problem) => void;
let closed: number;

function Page(): ReactNode {
  const [opened, setOpened] = useState(true);
  return (
    <>
      <button type="button" id="open" onClick={() => setOpened(true)} />
      <FormDialog
        title="Remove"
        action="Remove"
        opened={opened}
        onClose={() => {
          closed += 1;
          setOpened(false);
        }}
        onSubmit={() =>
          new Promise<void>((resolve, reject) => {
            answer = (error) => (error ? reject(error) : resolve());
          })
        }
      >
        text
      </FormDialog>
    </>
  );
}

beforeEach(async () => {
  page = new Mounted();
  closed = 0;
  await page.show(<Page />);
});
afterEach(() => page.remove());

const click = (selector: string) => act(async () => found<HTMLElement>(selector).click());

/** Sends the form, gives up, and opens it again, as for another item. */
async function openAgain(): Promise<void> {
  await submit(found("form"));
  await click('form button[type="button"]');
  await click("#open");
}

test("a success closes only the dialog that asked for it", async () => {
  await openAgain();
  await act(async () => answer());
  expect(closed).toBe(1); // By the person.
  await submit(found("form"));
  await act(async () => answer());
  expect(closed).toBe(2);
});

test("a refusal is not shown in a dialog about something else", async () => {
  await openAgain();
  await act(async () => answer(new Problem(409, "conflict", "of the first")));
  expect(document.querySelector('[role="alert"]')).toBeNull();
});
