// A form for data that others may change, and what is typed while it is being saved.
import { act, type ReactNode } from "react";
import { afterEach, beforeEach, expect, test } from "vitest";
import { useEdited } from "../src/ui/edited.ts";
import { Mounted } from "./support/mounted.ts";

interface Stored {
  name: string;
  url: string;
  tag: string;
}

let page: Mounted;
let form: ReturnType<typeof useEdited<Stored, Omit<Stored, "tag">>>;
let sent: [name: string, url: string, tag: string][];
let answer: () => void;

function Form(): ReactNode {
  form = useEdited<Stored, Omit<Stored, "tag">>({
    stored: { name: "Toko", url: "", tag: "1" },
    draftOf: ({ name, url }) => ({ name, url }),
    save: async ({ name, url }, { tag }) => {
      sent.push([name, url, tag]);
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      return { name: name.trim(), url, tag: `${Number(tag) + 1}` };
    },
    read: async () => ({ name: "Toko", url: "", tag: "1" }),
    refresh: async () => undefined,
    saved: "Saved",
  });
  return null;
}

beforeEach(async () => {
  page = new Mounted();
  sent = [];
  await page.show(<Form />);
});
afterEach(() => page.remove());

const save = () => act(async () => form.save());
const answered = () =>
  act(async () => {
    answer();
    await new Promise((resolve) => setTimeout(resolve));
  });

test("after saving it shows what is stored", async () => {
  await act(async () => form.set({ name: " Toko Rina " }));
  await save();
  await answered();
  expect(form.draft).toEqual({ name: "Toko Rina", url: "" });
});

test("what is typed while it is saved stays, and is based on what was saved", async () => {
  await act(async () => form.set({ name: "Toko Rina" }));
  await save();
  await act(async () => form.set({ url: "https://a.example/" }));
  await answered();
  expect(form.draft).toEqual({ name: "Toko Rina", url: "https://a.example/" });
  await save();
  await answered();
  expect(sent).toEqual([
    ["Toko Rina", "", "1"],
    ["Toko Rina", "https://a.example/", "2"],
  ]);
});
