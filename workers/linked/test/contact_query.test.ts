import type { BinaryNode } from "baileys";
import { expect, test } from "vitest";
import { contactOf, contactQuery } from "../src/sending/contact_query.js";

const node = (tag: string, attrs = {}, content?: BinaryNode["content"]): BinaryNode => ({
  tag,
  attrs,
  ...(content === undefined ? {} : { content }),
});

function answer(...users: BinaryNode[]): BinaryNode {
  return node("iq", { type: "result" }, [node("usync", {}, [node("list", {}, users)])]);
}

const user = (...content: BinaryNode[]): BinaryNode =>
  node("user", { jid: "628@s.whatsapp.net" }, content);

test("a number is registered, or explicitly not", () => {
  expect(contactOf(answer(user(node("contact", { type: "in" }))))).toBe("628@s.whatsapp.net");
  expect(contactOf(answer(user(node("contact", { type: "out" }))))).toBeNull();
});

test("every other answer says nothing", () => {
  const error = node("error", { code: "500" });
  for (const unclear of [
    node("iq", { type: "result" }),
    answer(),
    answer(user()),
    answer(user(node("contact", {}, [error]))),
    answer(user(error)),
    answer(user(node("contact", { type: "invalid" }))),
    answer(node("user", {}, [node("contact", { type: "in" })])),
    answer(user(node("contact", { type: "out" })), user(node("contact", { type: "out" }))),
  ]) {
    expect(contactOf(unclear)).toBeUndefined();
  }
});

test("a query asks for one number", () => {
  expect(JSON.stringify(contactQuery("628", "7"))).toContain('"content":"+628"');
});
