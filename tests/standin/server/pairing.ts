// Linking: a client that is not linked gets references for its QR codes, or asks for a code of
// eight characters. A phone answers, and the client becomes a companion of the phone's account.
import { randomBytes } from "node:crypto";
import { platform } from "../wire/jid.ts";
import { attribute, bytes, child, node, ProtocolError, type Node } from "../wire/node.ts";
import type { Message } from "../wire/protobuf.ts";
import type { Account } from "./account.ts";
import { Companion, type CompanionKeys } from "./companion.ts";
import type { Connection } from "./connection.ts";
import { announce } from "./device_list.ts";
import type { Events } from "./events.ts";
import {
  checkSignedPreKey,
  readCountersigned,
  sealSignature,
  seconds,
  type AccountSignature,
} from "./identity.ts";
import { PasskeyExchange } from "./passkey.ts";

const references = 6;

/** A client that is not linked yet. */
export interface Candidate extends CompanionKeys {
  connection: Connection;
  references: string[];
}

/** A client that waits for somebody to type its code into the phone of `number`. */
export interface CodeRequest {
  candidate: Candidate;
  number: string;
  reference: Buffer;
  /** The client's ephemeral key, encrypted with the code. */
  wrappedKey: Buffer;
  /** Set by the phone: takes the client's answer. */
  answered: (sealed: Buffer, companionKey: Buffer) => void;
  /** Set by the phone: the client went away. */
  abandoned: (reason: Error) => void;
}

/** Faults of a phone's signature, for tests of clients that must detect them. */
export const signatureFaults = ["signature", "seal"] as const;
export type SignatureFault = (typeof signatureFaults)[number];

interface Reply {
  connection: Connection;
  resolve: (reply: Node) => void;
  reject: (reason: Error) => void;
}

export class Pairing {
  fault: SignatureFault | undefined;
  private readonly candidates = new Map<Connection, Candidate>();
  private readonly replies = new Map<string, Reply>();
  private readonly exchanges = new Map<Connection, PasskeyExchange>();
  private codes: CodeRequest[] = [];
  private ids = 0;

  constructor(private readonly events: Events) {}

  /** Reads an unlinked client's introduction, and sends it the references. */
  begin(connection: Connection, noiseKey: Buffer, data: Message): void {
    const identityKey = data.need(3);
    const key = data.need(5);
    const signature = data.need(6);
    checkSignedPreKey(identityKey, key, signature);
    const candidate: Candidate = {
      connection,
      noiseKey,
      identityKey,
      registrationId: data.need(1).readUInt32BE(),
      signedPreKey: { id: data.need(4).readUIntBE(0, 3), key, signature },
      references: Array.from(
        { length: references },
        () => `2@${randomBytes(24).toString("base64")}`,
      ),
    };
    this.candidates.set(connection, candidate);
    const shown = candidate.references.map((text) => node("ref", {}, Buffer.from(text)));
    connection.send(this.request([node("pair-device", {}, shown)]));
  }

  /** The unlinked client that shows this reference. The keys in the QR code must be its own. */
  byReference(reference: string, noiseKey: Buffer, identityKey: Buffer): Candidate {
    const found = [...this.candidates.values()].find((each) => each.references.includes(reference));
    if (!found) throw new Error("no client shows this QR code (any more)");
    if (!found.noiseKey.equals(noiseKey) || !found.identityKey.equals(identityKey)) {
      throw new ProtocolError("the QR code has keys that the client does not have");
    }
    return found;
  }

  /** The newest client that waits for its code on the phone of this number. */
  async byNumber(number: string): Promise<CodeRequest> {
    const matches = () => this.codes.findLast((each) => each.number === number);
    await this.events.wait(
      `a code for ${number}`,
      (event) => event.type === "code_requested" && event.number === number && !!matches(),
    );
    const found = matches();
    if (!found) throw new Error(`no client waits for a code of ${number}`);
    return found;
  }

  sendPhoneHello(request: CodeRequest, wrappedKey: Buffer, phoneKey: Buffer): void {
    const attrs = {
      from: platform,
      id: `code-${++this.ids}`,
      t: String(seconds()),
      type: "link_code_companion_reg",
    };
    const hello = node("link_code_companion_reg", { stage: "primary_hello" }, [
      node("link_code_pairing_wrapped_primary_ephemeral_pub", {}, wrappedKey),
      node("primary_identity_pub", {}, phoneKey),
      node("link_code_pairing_ref", {}, request.reference),
    ]);
    request.candidate.connection.send(node("notification", attrs, [hello]));
  }

  /** Sends the client its signed identity; the client becomes a companion when it countersigns. */
  async succeed(
    candidate: Candidate,
    account: Account,
    id: number,
    signed: AccountSignature,
    secret: Uint8Array,
  ): Promise<Companion> {
    const { connection } = candidate;
    if (this.fault === "signature") signed = { ...signed, signature: Buffer.alloc(64, 1) };
    if (this.fault === "seal") secret = randomBytes(32);
    const request = this.request([
      node("pair-success", {}, [
        node("device-identity", {}, sealSignature(signed, secret)),
        node("device", {
          jid: account.jid("s.whatsapp.net", id),
          lid: account.jid("lid", id),
        }),
        node("platform", { name: "android" }),
      ]),
    ]);
    const reply = await this.ask(connection, request);
    const answer = child(reply, "pair-device-sign", "device-identity");
    if (!answer || attribute(answer, "key-index") !== String(id)) {
      throw new ProtocolError("the companion did not sign back");
    }
    const countersigned = bytes(reply, "pair-device-sign", "device-identity");
    const identity = readCountersigned(countersigned, signed, candidate.identityKey);
    const companion = new Companion(account, id, candidate, identity);
    account.devices.set(id, companion);
    announce(account, "add", id);
    this.forget(connection);
    this.events.add("paired", { number: account.number, device: id });
    connection.close(node("stream:error", { code: "515" }));
    return companion;
  }

  /** Begins to link the client through a passkey. */
  exchange(candidate: Candidate): PasskeyExchange {
    const made = new PasskeyExchange(candidate);
    this.exchanges.set(candidate.connection, made);
    return made;
  }

  /** Handles a node of a client that is not linked; returns false if it is not part of pairing. */
  received(connection: Connection, received: Node): boolean {
    const candidate = this.candidates.get(connection);
    if (!candidate || received.tag !== "iq") return false;
    if (received.attrs["type"] === "result") {
      this.replies.get(received.attrs["id"] ?? "")?.resolve(received);
      return true;
    }
    const answer = this.exchanges.get(connection)?.take(received);
    if (answer) {
      connection.send(answer);
      return true;
    }
    const registration = child(received, "link_code_companion_reg");
    if (!registration) return false;
    const stage = attribute(registration, "stage");
    if (stage === "companion_hello") this.hello(candidate, received, registration);
    else if (stage === "companion_finish") this.finish(candidate, received, registration);
    else throw new ProtocolError(`an unknown stage of pairing by code, ${stage}`);
    return true;
  }

  forget(connection: Connection): void {
    this.candidates.delete(connection);
    this.exchanges.delete(connection);
    for (const reply of this.replies.values()) {
      if (reply.connection === connection) reply.reject(new Error("the client went away"));
    }
    for (const request of this.codes.filter((each) => each.candidate.connection === connection)) {
      request.abandoned(new Error("the client that waited for the code went away"));
    }
    this.codes = this.codes.filter(({ candidate }) => candidate.connection !== connection);
  }

  private hello(candidate: Candidate, request: Node, registration: Node): void {
    if (!bytes(registration, "companion_server_auth_key_pub").equals(candidate.noiseKey)) {
      throw new ProtocolError("pairing by code with a key that the client does not have");
    }
    const number = attribute(registration, "jid").split("@")[0] ?? "";
    const reference = randomBytes(16);
    this.codes.push({
      candidate,
      number,
      reference,
      wrappedKey: bytes(registration, "link_code_pairing_wrapped_companion_ephemeral_pub"),
      answered: () => undefined,
      abandoned: () => undefined,
    });
    const answer = node("link_code_companion_reg", { stage: "companion_hello" }, [
      node("link_code_pairing_ref", {}, reference),
    ]);
    candidate.connection.send(result(request, [answer]));
    this.events.add("code_requested", { number });
  }

  private finish(candidate: Candidate, request: Node, registration: Node): void {
    const reference = bytes(registration, "link_code_pairing_ref");
    const waiting = this.codes.find((each) => each.reference.equals(reference));
    const companionKey = bytes(registration, "companion_identity_public");
    if (!waiting || !companionKey.equals(candidate.identityKey)) {
      throw new ProtocolError("the end of a pairing by code that did not begin so");
    }
    candidate.connection.send(result(request));
    waiting.answered(bytes(registration, "link_code_pairing_wrapped_key_bundle"), companionKey);
  }

  private request(content: Node[]): Node {
    return node("iq", { from: platform, type: "set", id: `pair-${++this.ids}` }, content);
  }

  private async ask(connection: Connection, request: Node): Promise<Node> {
    const id = attribute(request, "id");
    let timer: NodeJS.Timeout | undefined;
    try {
      return await new Promise<Node>((resolve, reject) => {
        this.replies.set(id, { connection, resolve, reject });
        timer = setTimeout(() => reject(new Error("the companion does not sign back")), 15_000);
        connection.send(request);
      });
    } finally {
      clearTimeout(timer);
      this.replies.delete(id);
    }
  }
}

export function result(request: Node, content?: Node[]): Node {
  return node("iq", { from: platform, type: "result", id: attribute(request, "id") }, content);
}
