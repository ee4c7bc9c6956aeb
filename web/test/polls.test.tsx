// How often pages read what they show, by themselves.
import { act, type ReactNode } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { SessionView } from "../src/api/types.ts";
import { Members } from "../src/features/account/members.tsx";
import Accounts from "../src/features/accounts/accounts.tsx";
import { useAllDevices } from "../src/features/devices/all_devices.ts";
import Keys from "../src/features/keys/keys.tsx";
import { useOverview } from "../src/features/overview/overview_data.ts";
import People from "../src/features/people/people.tsx";
import { Log } from "../src/features/server/log.tsx";
import { UsageChart } from "../src/features/usage/usage_chart.tsx";
import { LiveProvider } from "../src/live/live.tsx";
import { SessionProvider } from "../src/session/session.tsx";
import { Mounted } from "./support/mounted.ts";

// It draws on a canvas, which there is none of here.
vi.mock("../src/ui/chart.tsx", () => ({ default: () => <div role="img" /> }));

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

/** Shows the part with a stream; the paths that it reads by itself in this time. */
async function readBy(part: ReactNode, seconds = 10): Promise<string[]> {
  return read(<LiveProvider account="acc_1">{part}</LiveProvider>, seconds);
}

async function read(part: ReactNode, seconds: number): Promise<string[]> {
  await page.show(<SessionProvider session={session}>{part}</SessionProvider>);
  await act(() => vi.advanceTimersByTimeAsync(3000)); // The stream is open, and all was read.
  asked = [];
  await act(() => vi.advanceTimersByTimeAsync(seconds * 1000));
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

function Figures(): ReactNode {
  useOverview();
  useAllDevices();
  return null;
}

test("without a stream the overview reads all its figures, and the senders' states", async () => {
  const paths = await read(<Figures />, 10);
  for (const path of ["/v1/account", "/v1/devices", "/v1/usage", "/v1/callbacks"]) {
    expect(paths).toContain(path);
  }
  expect(paths.filter((path) => path === "/v1/callbacks")).toHaveLength(4); // Two states.
  expect(paths.filter((path) => path === "/v1/devices")).toHaveLength(4); // With counts, without.
});

test("a chart of usage is read, and stays if it cannot be read again", async () => {
  let fails = false;
  const answered = fetch;
  vi.stubGlobal("fetch", (request: Request) =>
    fails ? Response.json({ detail: "busy" }, { status: 503 }) : answered(request),
  );
  const chart = <UsageChart account="" days={30} />;
  expect(await readBy(chart, 61)).toContain("/v1/usage");
  await act(() => vi.dynamicImportSettled());
  expect(document.querySelector('[role="img"]')).not.toBeNull();
  fails = true;
  await act(() => vi.advanceTimersByTimeAsync(70_000));
  expect(document.querySelector('[role="img"]')).not.toBeNull();
});
