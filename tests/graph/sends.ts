// Bodies of POST /messages, judged as strictly as the platform's documentation is: an unknown field
// is refused, so that a test notices it.
import type { BusinessNumber } from "./number.ts";
import type { Media } from "./media.ts";
import type { Templates } from "./templates.ts";
import { refuse } from "./errors.ts";

export type Body = Record<string, any>;

const textMax = 4096;
const captionMax = 1024;
const filenameMax = 240;
const opaqueMax = 512;
const shared = ["messaging_product", "recipient_type", "to", "recipient", "type", "context"];

/** What each kind of media may carry beside its id or link. */
const extras: Record<string, string[]> = {
  image: ["caption"],
  video: ["caption"],
  document: ["caption", "filename"],
  audio: ["voice"],
  sticker: [],
};

/** Refuses a body that is not a message; returns the text that its reader would see. */
export function checkMessage(
  number: BusinessNumber,
  body: Body,
  media: Media,
  templates: Templates,
): string {
  const { type } = body;
  if (body["messaging_product"] !== "whatsapp") {
    refuse(100, "The parameter messaging_product is required.");
  }
  if (body["recipient_type"] !== "individual") refuse(100, "Param recipient_type is not valid.");
  const { to, recipient } = body;
  if ((to === undefined) === (recipient === undefined)) {
    refuse(131008, "Exactly one of the parameters to and recipient is required.");
  }
  if (recipient !== undefined && !/^[A-Z]{2}\.[A-Za-z0-9]+$/.test(String(recipient))) {
    refuse(131009, "Param recipient is not a valid user id.");
  }
  if (to !== undefined && (typeof to !== "string" || !/^\+?\d{5,20}$/.test(to))) {
    refuse(131009, "Param to is not a valid phone number.");
  }
  if (body["to"] === number.digits) refuse(131021, "Sender and recipient are the same.");
  noOthers("the message", body, [...shared, "biz_opaque_callback_data", String(type)]);
  const opaque = body["biz_opaque_callback_data"];
  if (opaque !== undefined && (typeof opaque !== "string" || opaque.length > opaqueMax)) {
    refuse(100, "Param biz_opaque_callback_data must be at most 512 characters long.");
  }
  const content = body[String(type)];
  if (!content || typeof content !== "object") refuse(100, `The parameter ${type} is required.`);
  if (type === "text") return checkText(content);
  if (type === "template") return templates.fill(number, content, media);
  if (extras[type]) return checkMedia(number, type, content, media);
  return refuse(131051, `The type ${type} is not supported.`);
}

function checkText(text: Body): string {
  noOthers("text", text, ["body", "preview_url"]);
  if (typeof text["body"] !== "string" || text["body"] === "") {
    refuse(100, "The parameter text['body'] is required.");
  }
  if ([...text["body"]].length > textMax) {
    refuse(100, `Param text['body'] must be at most ${textMax} characters long.`);
  }
  if (!["boolean", "undefined"].includes(typeof text["preview_url"])) {
    refuse(100, "Param text['preview_url'] must be a boolean.");
  }
  return text["body"];
}

function checkMedia(number: BusinessNumber, kind: string, content: Body, media: Media): string {
  noOthers(kind, content, ["id", "link", ...(extras[kind] ?? [])]);
  const { id, link, caption, filename } = content;
  if ((typeof id === "string") === (typeof link === "string")) {
    refuse(100, `Param ${kind} needs exactly one of id and link.`);
  }
  if (typeof id === "string") media.check(number, kind, id);
  if (caption !== undefined && (caption === "" || [...String(caption)].length > captionMax)) {
    refuse(100, `Param ${kind}['caption'] must have 1 to ${captionMax} characters.`);
  }
  if (filename !== undefined && (filename === "" || [...String(filename)].length > filenameMax)) {
    refuse(100, `Param ${kind}['filename'] must have 1 to ${filenameMax} characters.`);
  }
  return caption ?? "";
}

/** Refuses a body that neither marks an inbound message as read nor shows typing. */
export function checkRead(number: BusinessNumber, body: Body): void {
  noOthers("the message", body, ["messaging_product", "status", "message_id", "typing_indicator"]);
  if (body["status"] !== "read") refuse(100, "Param status must be read.");
  if (!number.inbound.has(body["message_id"])) {
    refuse(131009, "Param message_id is not an inbound message of this number.");
  }
  const typing = body["typing_indicator"];
  if (typing !== undefined && typing?.type !== "text") {
    refuse(100, "Param typing_indicator['type'] must be text.");
  }
}

function noOthers(what: string, body: Body, names: string[]): void {
  const other = Object.keys(body).find((name) => !names.includes(name));
  if (other) refuse(100, `Unexpected key "${other}" on ${what}.`);
}
