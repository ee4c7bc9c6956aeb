import { expect, test } from "vitest";
import { agentText } from "../src/features/settings/settings.tsx";

test("browsers are named shortly, and others by their own words", () => {
  const linux = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/156.0 Safari/537.36";
  expect(agentText(linux)).toBe("Chrome · Linux");
  expect(agentText("curl/8.1")).toBe("curl/8.1");
});
