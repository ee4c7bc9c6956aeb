// What webhooks say of messages.
import { reported, type Fault } from "./errors.ts";
import type { Body } from "./sends.ts";

/** A message that the platform took. */
export interface Taken {
  id: string;
  from: string;
  to: string;
  type: string;
  text: string; // Text, caption, or the template with its variables.
  body: Body;
  at: number;
  failed: boolean;
}

/** What a person's phone sends to a number. */
export interface Written {
  from?: string; // Digits; default: only a user id.
  userId?: string;
  id?: string;
  type: string;
  content: object; // The object of that type.
  name?: string;
}

export function statusBody(message: Taken, status: string, fault?: Fault): object {
  const opaque = message.body["biz_opaque_callback_data"];
  return {
    id: message.id,
    status,
    timestamp: seconds(),
    recipient_id: message.to,
    ...(opaque !== undefined && { biz_opaque_callback_data: opaque }),
    ...(fault
      ? { errors: [reported(fault)] }
      : {
          pricing: { billable: true, pricing_model: "PMP", category: "utility", type: "regular" },
        }),
  };
}

export function seconds(): string {
  return String(Math.floor(Date.now() / 1000));
}

/** The parts of a webhook that brings a message. */
export function inboundParts(
  id: string,
  written: Written,
): { contacts: object[]; messages: object[] } {
  const { from, userId, type, content, name = "Budi" } = written;
  const contact = { profile: { name }, ...(from && { wa_id: from }) };
  const sender = { ...(from && { from }), ...(userId && { from_user_id: userId }) };
  return {
    contacts: [{ ...contact, ...(userId && { user_id: userId }) }],
    messages: [{ ...sender, id, timestamp: seconds(), type, [type]: content }],
  };
}
