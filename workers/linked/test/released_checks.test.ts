import { expect, test } from "vitest";

test("the self-test refuses to start with the checks as they were released", async () => {
  const { testSignatures } = await import("../src/baileys/self_test.js");
  await expect(testSignatures()).rejects.toThrow("a wrong signature is accepted");
});
