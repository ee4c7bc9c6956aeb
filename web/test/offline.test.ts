// Changes that a person makes while the browser has no network.
import { MutationObserver, onlineManager } from "@tanstack/react-query";
import { afterEach, expect, test } from "vitest";
import { newQueryClient } from "../src/queries/client.ts";

afterEach(() => onlineManager.setOnline(true));

test("a change without a network fails, and is not made later", async () => {
  onlineManager.setOnline(false);
  let tries = 0;
  const cancelling = new MutationObserver(newQueryClient(), {
    mutationFn: async () => {
      tries += 1;
      throw new TypeError("no network");
    },
  });
  await expect(cancelling.mutate()).rejects.toThrow("no network");
  onlineManager.setOnline(true);
  await new Promise((resolve) => setTimeout(resolve, 0));
  expect(tries).toBe(1);
});
