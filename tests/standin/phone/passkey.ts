// The phone's side of linking a client through a passkey: the client answers a challenge with an
// assertion, both agree on a key, and the client sends its keys and a new secret encrypted with it.
import { randomBytes } from "node:crypto";
import { decryptGcm, hkdf, hmac, sha256 } from "../crypto/ciphers.ts";
import { makeKeyPair, sharedSecret } from "../crypto/curve.ts";
import type { PasskeyExchange } from "../server/passkey.ts";
import { bytes, child, ProtocolError, type Node } from "../wire/node.ts";
import { Message, message } from "../wire/protobuf.ts";

const party = "whatsapp.com";
const timeout = 600_000;
const codeLetters = "123456789ABCDEFGHJKLMNPQRSTVWXYZ";

/**
 * Resolves with the secret of the link. `secret`: of the QR code that was scanned. `agreed` gets
 * the code that both sides could compare.
 */
export async function linkByPasskey(
  exchange: PasskeyExchange,
  secret: Buffer,
  agreed: (code: string) => void,
): Promise<Buffer> {
  const challenge = randomBytes(32).toString("base64url");
  exchange.challenge({
    ...{ challenge, timeout, rpId: party, allowCredentials: [] },
    ...{ userVerification: "required", extensions: { uvm: true } },
  });
  const prologue = await exchange.expect("passkey_prologue", (sent) =>
    isAssertion(sent, challenge),
  );
  const payload = bytes(prologue, "prologue_payload");
  const proof = hmac(hkdf(secret, 32, "shortcake-passkey-handoff-v1"), payload);
  if (!bytes(prologue, "pairing_handoff_proof").equals(proof)) {
    throw new ProtocolError("a passkey's prologue without the proof of the QR code");
  }
  const opened = new Message(payload);
  const identity = opened.need(1);
  const commitment = opened.message(2)?.need(1);
  const companion = new Message(identity);
  if (companion.text(3) !== exchange.reference) {
    throw new ProtocolError("a passkey's prologue with another reference");
  }

  const mine = makeKeyPair();
  const nonce = randomBytes(32);
  exchange.goOn(message({ 1: mine.publicKey, 2: nonce }));
  const revealed = bytes(await exchange.expect("companion_nonce"));
  if (!commitment?.equals(sha256(identity, revealed))) {
    throw new ProtocolError("a nonce that the companion did not commit to");
  }
  const mask = sha256(revealed, mine.publicKey);
  agreed(inLetters(nonce.subarray(0, 5).map((byte, at) => byte ^ mask.readUInt8(at))));

  const shared = sharedSecret(mine.privateKey, companion.need(1));
  const salt = `Companion Pairing ${companion.number(2) ?? 0} with ref ${exchange.reference}`;
  const key = hkdf(shared, 32, "Pairing Information Encryption Key", Buffer.from(salt));
  const wrapped = new Message(bytes(await exchange.expect("encrypted_pairing_request")));
  const request = new Message(decryptGcm(key, wrapped.need(2), wrapped.need(1)));
  const { noiseKey, identityKey } = exchange.candidate;
  if (!request.need(1).equals(noiseKey) || !request.need(2).equals(identityKey)) {
    throw new ProtocolError("a pairing request with keys that the client does not have");
  }
  return request.need(3);
}

/** Whether the assertion answers this challenge. Its signature is the authenticator's business. */
function isAssertion(prologue: Node, challenge: string): boolean {
  const { id, rawId, type, response } = JSON.parse(
    bytes(prologue, "webauthn_assertion").toString(),
  ) as Record<string, string> & { response: Record<string, string> };
  const data = JSON.parse(Buffer.from(response["clientDataJSON"] ?? "", "base64url").toString());
  return (
    type === "public-key" &&
    id === rawId &&
    bytes(prologue, "credential_id").equals(Buffer.from(rawId ?? "", "base64url")) &&
    data.type === "webauthn.get" &&
    data.challenge === challenge &&
    child(prologue, "prologue_payload") !== undefined &&
    ["authenticatorData", "signature"].every((name) => typeof response[name] === "string")
  );
}

/** Five bytes as eight letters. */
function inLetters(code: Uint8Array): string {
  const bits = [...code].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  return bits.replace(/.{5}/g, (five) => codeLetters[parseInt(five, 2)] ?? "");
}
