// A number of a business, as the platform keeps it.
import { randomInt } from "node:crypto";
import { refuse } from "./errors.ts";

export interface NewNumber {
  number: string; // Digits.
  token?: string;
  secret?: string; // Of the app that the number's webhooks come from.
  waba?: string;
  registered?: boolean; // Default: true.
  pin?: string;
}

/** Digits that no other object of this process has. */
let lastId = 100_000_000_000_000 + randomInt(1_000_000_000);
export function freshId(): string {
  lastId += 1;
  return String(lastId);
}

export class BusinessNumber {
  readonly id = freshId();
  readonly digits: string;
  readonly waba: string;
  readonly secret: string;
  token: string;
  tokenSubcode: number | undefined; // Set: the token has ended, for this reason.
  registered: boolean;
  pin: string | undefined;
  verified: boolean;
  code = ""; // The last one that was sent by SMS or voice.
  codeMethod = "";
  /** The inbound messages that may be answered with typing, and who wrote when. */
  readonly inbound = new Map<string, string>();
  readonly wroteAt = new Map<string, number>();
  windowClosed: "answer" | "webhook" | undefined; // How free text outside the window is refused.

  constructor(made: NewNumber, secret: string) {
    this.digits = made.number;
    this.waba = made.waba ?? freshId();
    this.secret = made.secret ?? secret;
    this.token = made.token ?? `EAAG${freshId()}`;
    this.registered = made.registered ?? true;
    this.verified = this.registered;
    this.pin = made.pin;
  }

  /** As the platform writes it: "+62 811-0000-0001". */
  get display(): string {
    const [country, rest] = [this.digits.slice(0, 2), this.digits.slice(2)];
    return `+${country} ${[rest.slice(0, 3), rest.slice(3, 7), rest.slice(7)].join("-")}`;
  }

  /** The details that `fields` names, separated by commas. */
  details(fields: string | null): object {
    const all: Record<string, unknown> = {
      display_phone_number: this.display,
      verified_name: "Toko Merpati",
      status: this.registered ? "CONNECTED" : "PENDING",
      code_verification_status: this.verified ? "VERIFIED" : "NOT_VERIFIED",
      quality_rating: "GREEN",
      platform_type: this.registered ? "CLOUD_API" : "NOT_APPLICABLE",
      throughput: { level: "STANDARD" },
    };
    const usual = "display_phone_number,verified_name,code_verification_status,quality_rating";
    const wanted = (fields ?? usual).split(",").filter((name) => name !== "id");
    const unknown = wanted.find((name) => !(name in all));
    if (unknown) refuse(100, `Tried accessing nonexisting field (${unknown})`);
    return { ...Object.fromEntries(wanted.map((name) => [name, all[name]])), id: this.id };
  }

  register(pin: unknown): object {
    if (typeof pin !== "string" || !/^\d{6}$/.test(pin)) {
      refuse(100, "Param pin must be 6 characters long.");
    }
    if (!this.verified) refuse(133010, "The phone number has not been verified.");
    if (this.pin !== undefined && this.pin !== pin) refuse(133005, "The PIN is not correct.");
    this.pin = pin as string;
    this.registered = true;
    return { success: true };
  }

  requestCode(method: unknown, language: unknown): object {
    if (method !== "SMS" && method !== "VOICE") refuse(100, "Param code_method is not valid.");
    if (typeof language !== "string" || !/^[a-z]{2}(_[A-Z]{2})?$/.test(language)) {
      refuse(100, "Param language must be a locale.");
    }
    this.codeMethod = method as string;
    this.code = String(randomInt(100_000, 1_000_000));
    return { success: true };
  }

  verifyCode(code: unknown): object {
    if (this.code === "" || code !== this.code) refuse(136025, "The code is not correct.");
    this.code = "";
    this.verified = true;
    return { success: true };
  }
}
