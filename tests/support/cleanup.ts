// A failed test may leave its gateway behind; the end of its file does not.
import { afterAll } from "vitest";
import { open } from "./gateway.ts";

afterAll(async () => {
  await Promise.all([...open].map((gateway) => gateway.abandon()));
});
