import { expect, test } from "vitest";
import type { ServerNode } from "../src/api/types.ts";
import { nodesToShow } from "../src/features/server/nodes.tsx";

const node = (name: string, state: ServerNode["state"], accounts: number): ServerNode => ({
  name,
  state,
  accounts,
  address: "",
  version: "0.1.0",
  seen_at: "2026-11-26T09:00:00.000Z",
});

test("a server alone, and one with SQLite, is not shown as one of several", () => {
  expect(nodesToShow([])).toEqual([]);
  expect(nodesToShow([node("gateway-1", "up", 3)])).toEqual([]);
});

test("servers that serve accounts are first, and those that are gone last", () => {
  const nodes = [
    node("a", "gone", 0),
    node("b", "up", 0),
    node("c", "up", 7),
    node("d", "leaving", 2),
  ];
  expect(nodesToShow(nodes).map(({ name }) => name)).toEqual(["c", "d", "b", "a"]);
});
