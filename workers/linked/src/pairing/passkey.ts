// Linking through a passkey, which the platform asks of some accounts after the QR code is scanned.
// Baileys does not know it; the messages are those of other clients of the protocol.
import { createCipheriv, createHash, createHmac, hkdfSync, randomBytes } from "node:crypto";
import {
  type AuthenticationCreds,
  type BinaryNode,
  Curve,
  getBinaryNodeChild,
  proto,
} from "baileys";
import type makeWASocket from "baileys";
import { ProtocolError } from "../protocol/errors.js";
import { details } from "../texts.js";

type Socket = Pick<ReturnType<typeof makeWASocket>, "ws" | "query" | "sendNode">;

const PLATFORM = "@s.whatsapp.net";
const DEVICE_TYPE = proto.DeviceProps.PlatformType.CHROME;
const OPTIONS_BYTES_MAX = 16_384; // Of a pairing step.
const KEY_BYTES = 32;
// Baileys ends the connection when it has shown the last reference, each for 20 s.
const SPARE_REFERENCES = 18;

/// How long the proof that this client showed the scanned QR code is valid. Without it a person
/// would have to compare a code on both screens.
export const PASSKEY_MS = 300_000;

interface Asked {
  challenge: string;
  /// Made with the secret of the QR code.
  proofKey: Buffer;
}

interface Sent {
  ephemeral: ReturnType<typeof Curve.generateKeyPair>;
  nonce: Buffer;
  reference: string;
}

/// Operation: the platform sends WebAuthn options, which go to `asked`. A person signs them where
/// the passkey is, and `answer` gets the assertion. The client then agrees on a key with the phone,
/// and sends it its keys and a new secret; the pairing ends as any other. `fail` gets what ends the
/// connection.
export class Passkey {
  private asked: Asked | undefined;
  private sent: Sent | undefined;
  private references = Infinity;
  private shown = 0;

  constructor(
    private readonly socket: Socket,
    private readonly credentials: AuthenticationCreds,
    private readonly show: (options: string) => void,
    private readonly fail: (error: Error) => void,
  ) {}

  listen(): void {
    const { ws } = this.socket;
    // Before Baileys' own listeners.
    ws.prependListener("CB:iq,type:set,pair-device", (stanza: BinaryNode) => this.addSpare(stanza));
    ws.prependListener("CB:notification,type:passkey_prologue_request", (asked: BinaryNode) =>
      this.run(asked, async () => this.ask(asked)),
    );
    ws.prependListener("CB:notification,type:crsc_continuation", (got: BinaryNode) =>
      this.run(got, () => this.goOn(got)),
    );
  }

  /// Whether a QR code is to be shown: it is not a spare one, and no passkey is awaited.
  isShown(): boolean {
    this.shown++;
    if (this.asked) {
      return false;
    }
    if (this.shown > this.references) {
      this.fail(pairingExpired());
      return false;
    }
    return true;
  }

  /// `text`: the JSON of a PublicKeyCredential. Errors: ProtocolError `invalid`.
  async answer(text: string): Promise<void> {
    const { asked } = this;
    if (!asked || this.sent) {
      throw new ProtocolError("invalid", details.noPasskeyAwaited);
    }
    const assertion = assertionOf(text, asked.challenge);
    const got = (await this.askPlatform("get", node("ref"))) as BinaryNode;
    const reference = contentOf(got, "ref").toString();
    const ephemeral = Curve.generateKeyPair();
    const nonce = randomBytes(KEY_BYTES);
    const identity = proto.CompanionEphemeralIdentity.encode({
      publicKey: ephemeral.public,
      deviceType: DEVICE_TYPE,
      ref: reference,
    }).finish();
    const hash = createHash("sha256").update(identity).update(nonce).digest();
    const payload = proto.ProloguePayload.encode({
      companionEphemeralIdentity: identity,
      commitment: { hash },
    }).finish();
    const prologue = node("passkey_prologue", [
      node("credential_id", Buffer.from(assertion.rawId, "base64url")),
      node("webauthn_assertion", Buffer.from(JSON.stringify(assertion))),
      node("prologue_payload", payload),
      node(
        "pairing_handoff_proof",
        createHmac("sha256", asked.proofKey).update(payload).digest(),
      ),
    ]);
    this.sent = { ephemeral, nonce, reference };
    try {
      await this.askPlatform("set", prologue);
    } catch (error) {
      this.sent = undefined;
      throw new ProtocolError("invalid", details.passkeyRefused).because(error);
    }
  }

  private addSpare(stanza: BinaryNode): void {
    const content = getBinaryNodeChild(stanza, "pair-device")?.content;
    const last = Array.isArray(content) ? content.at(-1) : undefined;
    if (Array.isArray(content) && last) {
      this.references = content.length;
      content.push(...Array.from({ length: SPARE_REFERENCES }, () => ({ ...last })));
    }
  }

  private ask(asked: BinaryNode): void {
    const options = contentOf(asked, "passkey_request_options");
    const { challenge } = JSON.parse(options.toString()) as { challenge?: unknown };
    if (typeof challenge !== "string" || options.length > OPTIONS_BYTES_MAX) {
      throw new Error("the platform's question is not understood");
    }
    const secret = Buffer.from(this.credentials.advSecretKey, "base64");
    this.asked = { challenge, proofKey: hkdf(secret, "shortcake-passkey-handoff-v1") };
    this.show(options.toString());
  }

  private async goOn(got: BinaryNode): Promise<void> {
    const { sent } = this;
    const theirs = proto.PrimaryEphemeralIdentity.decode(
      contentOf(got, "primary_ephemeral_identity"),
    );
    if (!sent || theirs.publicKey?.length !== KEY_BYTES || theirs.nonce?.length !== KEY_BYTES) {
      throw new Error("the phone's part is not understood");
    }
    await this.askPlatform("set", node("companion_nonce", sent.nonce));
    const shared = Curve.sharedKey(sent.ephemeral.private, theirs.publicKey);
    const salt = `Companion Pairing ${DEVICE_TYPE} with ref ${sent.reference}`;
    const key = hkdf(shared, "Pairing Information Encryption Key", salt);
    const advSecret = randomBytes(KEY_BYTES);
    const request = proto.PairingRequest.encode({
      companionPublicKey: this.credentials.noiseKey.public,
      companionIdentityKey: this.credentials.signedIdentityKey.public,
      advSecret,
    }).finish();
    const iv = randomBytes(12);
    const cipher = createCipheriv("aes-256-gcm", key, iv);
    const encryptedPayload = Buffer.concat([
      cipher.update(request),
      cipher.final(),
      cipher.getAuthTag(),
    ]);
    // The phone signs with this secret as soon as it has it.
    this.credentials.advSecretKey = advSecret.toString("base64");
    const wrapped = proto.EncryptedPairingRequest.encode({ encryptedPayload, iv }).finish();
    await this.askPlatform("set", node("encrypted_pairing_request", wrapped));
  }

  /// Runs `work` for a notification of the platform, and acknowledges it.
  private run(notification: BinaryNode, work: () => Promise<void>): void {
    const { from, id = "", type = "" } = notification.attrs;
    if (from !== PLATFORM) {
      return;
    }
    const acknowledge = async (): Promise<void> => {
      if (!this.credentials.me) {
        // Baileys can acknowledge only as somebody.
        const attrs = { class: "notification", id, type, to: from };
        await this.socket.sendNode({ tag: "ack", attrs });
      }
    };
    acknowledge()
      .then(work)
      .catch((error: unknown) => this.fail(error as Error));
  }

  private askPlatform(type: "get" | "set", inside: BinaryNode): Promise<unknown> {
    return this.socket.query({
      tag: "iq",
      attrs: { to: PLATFORM, type, xmlns: "md" },
      content: [inside],
    });
  }
}

interface Assertion {
  id: string;
  rawId: string;
  type: string;
  response: Record<string, string>;
}

const BASE64URL = /^[\w-]{1,12000}$/;

/// Only what an assertion has goes to the platform, whatever else the text contains.
function assertionOf(text: string, challenge: string): Assertion {
  try {
    const { id, rawId, type, response } = JSON.parse(text) as Assertion;
    const { clientDataJSON, authenticatorData, signature, userHandle } = response;
    const given = [id, rawId, clientDataJSON, authenticatorData, signature];
    const data = JSON.parse(Buffer.from(clientDataJSON ?? "", "base64url").toString()) as {
      challenge?: unknown;
    };
    if (
      type === "public-key" &&
      given.every((one) => typeof one === "string" && BASE64URL.test(one)) &&
      data.challenge === challenge
    ) {
      const named = { clientDataJSON, authenticatorData, signature } as Record<string, string>;
      if (typeof userHandle === "string") {
        named["userHandle"] = userHandle;
      }
      return { id, rawId, type, response: named };
    }
  } catch {
    // As below.
  }
  throw new ProtocolError("invalid", details.passkeyUnreadable);
}

function node(tag: string, inside?: BinaryNode["content"]): BinaryNode {
  return inside === undefined ? { tag, attrs: {} } : { tag, attrs: {}, content: inside };
}

function contentOf(parent: BinaryNode, tag: string): Buffer {
  const inside = getBinaryNodeChild(parent, tag)?.content;
  if (typeof inside === "string" || inside instanceof Uint8Array) {
    return Buffer.from(inside as Uint8Array);
  }
  throw new Error(`the platform's ${tag} is missing`);
}

function hkdf(secret: Uint8Array, info: string, salt = ""): Buffer {
  return Buffer.from(hkdfSync("sha256", secret, salt, info, KEY_BYTES));
}

/// As Baileys' own error when its references are used up.
export function pairingExpired(): Error {
  return Object.assign(new Error("QR refs attempts ended"), { output: { statusCode: 408 } });
}
