// An answer that comes after its page was left does not lead anybody back.
import { act, type ReactNode, useState } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { SessionView } from "../src/api/types.ts";
import { NewCampaignDialog } from "../src/features/campaigns/new_campaign.tsx";
import { SessionProvider } from "../src/session/session.tsx";
import { found, Mounted, submit, type } from "./support/mounted.ts";

const DEVICE = { number: "6281100000001", state: "connected", paused_since: null };

let page: Mounted;
let create: () => void;
let leave: () => void;

const session = {
  person: { id: "per_1", admin: false },
  memberships: [{ account: "acc_1", name: "Toko", scopes: ["campaigns:manage"] }],
} as unknown as SessionView;

function Page(): ReactNode {
  const [isHere, setHere] = useState(true);
  leave = () => setHere(false);
  return isHere && <NewCampaignDialog opened onClose={() => undefined} />;
}

beforeEach(async () => {
  page = new Mounted();
  history.replaceState(null, "", "/campaigns");
  vi.stubGlobal("fetch", async ({ method }: Request) => {
    if (method === "GET") return Response.json({ items: [DEVICE], next: null });
    await new Promise<void>((resolve) => {
      create = resolve;
    });
    return Response.json({ id: "cmp_1" });
  });
  await page.show(
    <SessionProvider session={session}>
      <Page />
    </SessionProvider>,
  );
  await type(found("[data-autofocus]"), "Promo");
  await submit(found("form"));
});
afterEach(() => page.remove());

const answered = () =>
  act(async () => {
    create();
    await vi.waitFor(() => expect(page.queries.isFetching()).toBe(0));
  });

test("who waits is led to the new campaign", async () => {
  await answered();
  await vi.waitFor(() => expect(location.pathname).toBe("/campaigns/cmp_1"));
});

test("who has left stays where they are", async () => {
  await act(async () => leave());
  history.replaceState(null, "", "/messages");
  await answered();
  expect(location.pathname).toBe("/messages");
});
