// Which account the pages show.
import type { ReactNode } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { SessionView } from "../src/api/types.ts";
import { SessionProvider, useAccountId } from "../src/session/session.tsx";
import { Mounted } from "./support/mounted.ts";

const FAR = "/v1/admin/accounts/acc_900";

let page: Mounted;
let shown: string[];

function Page(): ReactNode {
  shown.push(useAccountId());
  return null;
}

beforeEach(() => {
  page = new Mounted();
  shown = [];
  localStorage.setItem("merpati.account", "acc_900");
});
afterEach(async () => {
  localStorage.clear();
  await page.remove();
});

test("a single failure shows an administrator no other account than the chosen one", async () => {
  let fails = true;
  vi.stubGlobal("fetch", async ({ url }: Request) => {
    const isFar = new URL(url).pathname === FAR;
    if (!isFar) return Response.json({ items: [{ id: "acc_1", name: "First" }], next: "more" });
    if (!fails) return Response.json({ id: "acc_900", name: "Far" });
    fails = false;
    return Response.json({ detail: "busy" }, { status: 503 });
  });
  const session = { person: { id: "per_1", admin: true }, memberships: [] } as unknown;
  await page.show(
    <SessionProvider session={session as SessionView}>
      <Page />
    </SessionProvider>,
  );
  await vi.waitFor(() => expect(shown).toContain("acc_900"), { timeout: 4000 });
  expect(shown).not.toContain("acc_1");
});
