// Devices on the official platform: what a form sends, and which templates it offers.
import { expect, test } from "vitest";
import {
  changedAccess,
  filled,
  NO_ACCESS,
  newAccess,
} from "../src/features/devices/cloud/access.ts";
import { canBeSent, canStandIn, templateName } from "../src/features/devices/cloud/templates.ts";
import { sorted } from "../src/features/devices/pairing_methods.ts";

test("blanks around copied ids and tokens are not sent, and empty fields neither", () => {
  const access = { ...NO_ACCESS, phone_number_id: " 1065 ", token: "EAAx\n", waba_id: "  " };
  expect(newAccess(access)).toEqual({ phone_number_id: "1065", token: "EAAx" });
  expect(newAccess({ ...access, app_secret: "abc", waba_id: "102" })).toEqual({
    phone_number_id: "1065",
    token: "EAAx",
    waba_id: "102",
    app_secret: "abc",
  });
});

test("what is left empty stays as it is", () => {
  expect(filled(NO_ACCESS)).toEqual({});
  expect(changedAccess({ ...NO_ACCESS, token: "EAAy " })).toEqual({ cloud: { token: "EAAy" } });
});

test("only an approved template with one variable, in its body, stands in for any text", () => {
  const template = { status: "APPROVED", variables: 1, body_only: true };
  expect(canStandIn(template)).toBe(true);
  expect(canStandIn({ ...template, variables: 0 })).toBe(false);
  expect(canStandIn({ ...template, variables: 2 })).toBe(false);
  expect(canStandIn({ ...template, body_only: false })).toBe(false);
  expect(canStandIn({ ...template, status: "PAUSED" })).toBe(false);
  expect(templateName({ name: "kabar", language: "id" })).toBe("kabar:id");
});

test("a campaign sends every approved template that can be filled", () => {
  expect(canBeSent({ status: "APPROVED", fillable: true })).toBe(true);
  expect(canBeSent({ status: "APPROVED", fillable: false })).toBe(false);
  expect(canBeSent({ status: "PENDING", fillable: true })).toBe(false);
});

test("a number is registered by its PIN or a code, without a step that asks for either", () => {
  expect(sorted(["otp", "voice", "sms", "pin"], false)).toEqual(["pin", "sms", "voice"]);
  expect(sorted(["otp", "code", "qr"], false)).toEqual(["qr", "code", "otp"]);
  expect(sorted(["otp", "code", "qr"], true)).toEqual(["code", "qr", "otp"]);
});
