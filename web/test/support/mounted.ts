// Renders a part of the app, with what all of it is below, into a page of its own.
import { QueryClientProvider } from "@tanstack/react-query";
import { act, createElement, type ReactNode } from "react";
import { createRoot, type Root } from "react-dom/client";
import { vi } from "vitest";
import { newQueryClient } from "../../src/queries/client.ts";
import { SchemeProvider } from "../../src/style/scheme.tsx";
import { LanguageProvider } from "../../src/texts/index.tsx";

export class Mounted {
  readonly queries = newQueryClient();
  private readonly place = document.createElement("div");
  private readonly root: Root;

  constructor() {
    vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
    document.body.append(this.place);
    this.root = createRoot(this.place);
  }

  async show(part: ReactNode): Promise<void> {
    const data = createElement(QueryClientProvider, { client: this.queries }, part);
    const app = createElement(LanguageProvider, null, createElement(SchemeProvider, null, data));
    await act(async () => this.root.render(app));
  }

  /** Call after each test. */
  async remove(): Promise<void> {
    await act(async () => this.root.unmount());
    this.place.remove();
    this.queries.clear();
    vi.unstubAllGlobals();
  }
}

/** Types into a field as a person does. */
export async function type(field: HTMLInputElement, text: string): Promise<void> {
  // React watches the property, and would take this for its own change.
  const { set } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value") ?? {};
  await act(async () => {
    set?.call(field, text);
    field.dispatchEvent(new Event("input", { bubbles: true }));
  });
}

export async function submit(form: HTMLFormElement): Promise<void> {
  await act(async () => {
    form.dispatchEvent(new Event("submit", { bubbles: true, cancelable: true }));
  });
}

/** The first such element of the page. */
export function found<Found extends Element>(selector: string): Found {
  const element = document.querySelector<Found>(selector);
  if (!element) throw new Error(`there is no ${selector}`);
  return element;
}
