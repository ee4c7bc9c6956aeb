// The drawer of one device.
import { act } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Device, SessionView } from "../src/api/types.ts";
import { DeviceDrawer } from "../src/features/devices/device_drawer.tsx";
import { SessionProvider } from "../src/session/session.tsx";
import { Mounted } from "./support/mounted.ts";

const NUMBER = "6281100000001";
const device = {
  number: NUMBER,
  state: "connected",
  state_since: "2026-11-28T00:00:00Z",
  connector: "simulator",
  cloud: null,
  restricted_until: null,
  paused_since: null,
} as Device;

let page: Mounted;
let isThere: boolean;

beforeEach(() => {
  page = new Mounted();
  isThere = true;
  vi.stubGlobal("fetch", async ({ url }: Request) => {
    if (url.includes("/v1/connectors")) return Response.json({ items: [] });
    return isThere ? Response.json(device) : Response.json({ detail: "gone" }, { status: 404 });
  });
});
afterEach(() => page.remove());

const session = {
  person: { id: "per_1", admin: false },
  memberships: [{ account: "acc_1", name: "Toko", scopes: ["devices:manage"] }],
} as unknown as SessionView;

const show = (listed: Device | undefined) =>
  page.show(
    <SessionProvider session={session}>
      <DeviceDrawer number={NUMBER} listed={listed} onClose={() => undefined} />
    </SessionProvider>,
  );

test("a device that somebody has removed is not shown as it was", async () => {
  await show(device);
  await vi.waitFor(() => expect(document.querySelector("form")).not.toBeNull());
  isThere = false; // An event about it has come: it is not in the list any more.
  await show(undefined);
  await act(() => page.queries.invalidateQueries());
  await vi.waitFor(() =>
    expect(document.querySelector('[role="alert"]')?.textContent ?? "").toContain("Not found"),
  );
  expect(document.querySelector("form")).toBeNull();
});
