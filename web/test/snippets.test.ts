import { expect, test } from "vitest";
import { bodyOf, type Draft } from "../src/features/developers/draft.ts";
import { LANGUAGES, snippet } from "../src/features/developers/snippets.ts";

const draft: Draft = {
  revision: "A",
  from: "6281100000001",
  to: "6281234567890",
  type: "text",
  text: "Halo",
  url: "",
  delay: "",
  typing: false,
  callback: "",
};

test("a body has the fields of its revision, and no empty ones", () => {
  const to = { to: "6281234567890", from: "6281100000001", Type: "text" };
  expect(bodyOf(draft)).toEqual({ ...to, message: "Halo" });
  expect(bodyOf({ ...draft, revision: "B", typing: true, callback: "https://a" })).toEqual({
    ...to,
    pesan: "Halo",
  });
  expect(bodyOf({ ...draft, typing: true, callback: "https://a", delay: "30" })).toEqual({
    ...to,
    message: "Halo",
    delay: 30,
    typing: true,
    callbackStatus: "https://a",
  });
  expect(bodyOf({ ...draft, delay: "random" })["delay"]).toBe("random");
});

test("media carry their address, and a caption only where there is one", () => {
  const media = bodyOf({ ...draft, type: "media", text: "", url: "https://a/b.png" });
  expect(media).toMatchObject({ Type: "media", url: "https://a/b.png" });
  expect(media).not.toHaveProperty("message");
});

test("no text breaks out of its quotes", () => {
  const text = `'; rm -rf / #" \\ $HOME \`id\`\n</script>`;
  const request = {
    base: "https://gateway.example",
    key: "mpt_1",
    revision: "A" as const,
    body: bodyOf({ ...draft, text }),
  };
  expect(snippet("curl", request)).toContain(`'{\n  "to": "6281234567890"`);
  expect(snippet("curl", request)).toContain(`'\\''; rm -rf`);
  expect(snippet("PHP", request)).toContain(`'message' => '\\'; rm -rf / #" \\\\ $HOME`);
  expect(snippet("Python", request)).toContain(JSON.stringify(text));
  for (const language of LANGUAGES) expect(snippet(language, request)).toContain("/v1/send");
});
