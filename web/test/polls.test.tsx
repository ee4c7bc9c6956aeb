// How often pages read what they show, by themselves.
import { act, type ReactNode } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { SessionView } from "../src/api/types.ts";
import { Members } from "../src/features/account/members.tsx";
import Accounts from "../src/features/accounts/accounts.tsx";
import Keys from "../src/features/keys/keys.tsx";
import People from "../src/features/people/people.tsx";
import { Log } from "../src/features/server/log.tsx";
import { LiveProvider } from "../src/live/live.tsx";
import { SessionProvider } from "../src/session/session.tsx";
import { Mounted } from "./support/mounted.ts";

/** A stream of events that is open, and has none. */
class Source {
  onopen: (() => void) | null = null;
  constructor() {
    setTimeout(() => this.onopen?.());
  }
  addEventListener = () => undefined;
  close = () => undefined;
}

let page: Mounted;
let asked: string[];

beforeEach(() => {
  vi.useFakeTimers();
  page = new Mounted();
  asked = [];
  vi.stubGlobal("EventSource", Source);
  vi.stubGlobal("BroadcastChannel", undefined);
  vi.stubGlobal("fetch", async ({ url }: Request) => {
    asked.push(new URL(url).pathname);
    return Response.json({ items: [], next: null });
  });
});
afterEach(async () => {
  await page.remove();
  vi.useRealTimers();
});

const session = {
  person: { id: "per_1", email: "rina@example.com", admin: false },
  memberships: [{ account: "acc_1", name: "Toko", scopes: ["account:manage"] }],
} as unknown as SessionView;

/** Shows the part with a stream; the paths that it reads by itself in ten seconds. */
async function readBy(part: ReactNode): Promise<string[]> {
  await page.show(
    <SessionProvider session={session}>
      <LiveProvider account="acc_1">{part}</LiveProvider>
    </SessionProvider>,
  );
  await act(() => vi.advanceTimersByTimeAsync(3000)); // The stream is open, and all was read.
  asked = [];
  await act(() => vi.advanceTimersByTimeAsync(10_000));
  return asked;
}

test.each([
  ["/v1/keys", Keys],
  ["/v1/admin/accounts", Accounts],
  ["/v1/admin/people", People],
  ["/v1/admin/log", Log],
])("%s, of which no event tells, is read while its page is open", async (path, Page) => {
  expect(await readBy(<Page />)).toContain(path);
});

test("members and invitations, of which no event tells, are read", async () => {
  const paths = await readBy(<Members account="acc_1" />);
  expect(paths).toContain("/v1/account/people");
  expect(paths).toContain("/v1/account/invitations");
});
