// At the end of each test file, ends gateways that failed tests left running.
import { afterAll } from "vitest";
import { open } from "./gateway.ts";

afterAll(async () => {
  await Promise.all([...open].map((gateway) => gateway.abandon()));
});
