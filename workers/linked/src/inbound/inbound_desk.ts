// Passes messages that arrive at one connection to the gateway.
import { type BinaryNode, proto, type SocketConfig, unpadRandomMax16 } from "baileys";
import type makeWASocket from "baileys";
import type { Decrypted } from "../baileys/session_repository.js";
import type { Clock } from "../process/clock.js";
import { ProtocolError } from "../protocol/errors.js";
import type { Gateway } from "../protocol/gateway.js";
import type { HistoryDesk } from "./history_desk.js";
import { isFromPerson, isFromPhone, received } from "./messages.js";

type Socket = ReturnType<typeof makeWASocket>;
type NumberMapping = ReturnType<SocketConfig["makeSignalRepository"]>["lidMapping"];

const RECENT_MAX = 1_000;

/// Operation: Baileys acknowledges a message right after its decryption. So `decrypted`, which runs
/// inside the decryption, passes the message to the gateway, and the acknowledgement leaves only
/// when the message is durable. If the gateway cannot take the message, `fail` ends the connection,
/// and the platform delivers the message again at the next one. The account's own phone tells of
/// its history in a message too. Messages that arrive without a decryption here, such as those that
/// the phone sends again, come from Baileys' events, both "notify" and "append".
export class InboundDesk {
  private readonly nodes = new WeakMap<Uint8Array, BinaryNode>();
  private readonly recent = new Set<string>();
  private numbers: NumberMapping | undefined;

  constructor(
    private readonly gateway: Pick<Gateway, "inbound" | "log">,
    private readonly device: string,
    private readonly clock: Clock,
    private readonly own: (address: string) => boolean,
    private readonly fail: (error: Error) => void,
    /// Called with a sender whose message is durable.
    private readonly wrote: (sender: string) => Promise<void>,
    private readonly history: Pick<HistoryDesk, "take">,
  ) {}

  listen(socket: Pick<Socket, "ws" | "ev">, numbers: NumberMapping): void {
    this.numbers = numbers;
    ignoreAppState(socket.ws);
    // Before Baileys' own listener, which begins to decrypt.
    socket.ws.prependListener("CB:message", (node: BinaryNode) => this.remember(node));
    socket.ev.on("messages.upsert", ({ messages }) => {
      for (const message of messages) {
        void this.takeEvent(message).catch((error: Error) => this.fail(error));
      }
    });
  }

  /// Called inside a decryption with its result.
  readonly decrypted: Decrypted = async (ciphertext, plaintext) => {
    const node = this.nodes.get(ciphertext);
    const fromPhone = node !== undefined && isFromPhone(node, this.own);
    if (!node || !(fromPhone || isFromPerson(node, this.own))) {
      return;
    }
    let content: proto.IMessage;
    try {
      content = proto.Message.decode(unpadRandomMax16(plaintext));
    } catch {
      return; // Baileys refuses it too, and asks the sender again.
    }
    if (fromPhone) {
      const notice = content.protocolMessage?.historySyncNotification;
      if (notice) {
        await this.history.take(notice);
      }
      return;
    }
    if (content.deviceSentMessage) {
      return;
    }
    await this.deliver(content, node.attrs["id"], node.attrs["t"], this.senderOf(node));
  };

  private remember(node: BinaryNode): void {
    if (Array.isArray(node.content)) {
      for (const child of node.content) {
        if (child.tag === "enc" && child.content instanceof Uint8Array) {
          this.nodes.set(child.content, node);
        }
      }
    }
  }

  private async takeEvent(message: proto.IWebMessageInfo): Promise<void> {
    const { key } = message;
    const from = key?.remoteJid ?? "";
    const node: BinaryNode = { tag: "message", attrs: { from } };
    if (key?.participant) {
      node.attrs["participant"] = key.participant;
    }
    const known = this.recent.has(`${from} ${key?.id}`);
    if (!key || key.fromMe || known || !isFromPerson(node, this.own)) {
      return;
    }
    const alternative = (key as { remoteJidAlt?: string | null }).remoteJidAlt;
    if (alternative) {
      node.attrs["sender_pn"] = alternative;
    }
    const seconds = String(message.messageTimestamp ?? "");
    await this.deliver(message.message ?? undefined, key.id, seconds, this.senderOf(node));
  }

  private async deliver(
    content: proto.IMessage | undefined,
    id: string | null | undefined,
    seconds: string | undefined,
    sender: Promise<{ address: string; shown: string }>,
  ): Promise<void> {
    const message = received(content, id, seconds, this.clock.now());
    const { address, shown } = await sender;
    if (!message) {
      return;
    }
    try {
      await this.gateway.inbound(this.device, { ...message, from: shown });
    } catch (error) {
      this.refused(error as Error);
    }
    await this.wrote(shown);
    this.recent.add(`${address} ${id}`);
    if (this.recent.size > RECENT_MAX) {
      const [oldest] = this.recent;
      this.recent.delete(oldest!);
    }
  }

  /// A message that the gateway will never take is skipped, so that it does not block later ones.
  /// Any other failure ends the connection.
  private refused(error: Error): void {
    const forGood = ["invalid", "refused", "not_found", "unsupported", "too_large"];
    if (error instanceof ProtocolError && forGood.includes(error.kind)) {
      this.gateway.log("warn", `the gateway refused a message: ${error.kind}`, this.device);
      return;
    }
    this.fail(error);
    throw error;
  }

  /// The sender's number if it is known, else the address that the platform uses instead, which
  /// also names a sender whose number cannot be looked up.
  private async senderOf(node: BinaryNode): Promise<{ address: string; shown: string }> {
    const { from = "", sender_pn: number } = node.attrs;
    const address = from.replace(/:\d+@/, "@");
    if (!address.endsWith("@lid")) {
      return { address, shown: digitsOf(address) };
    }
    const mapped =
      number ?? (await this.numbers?.getPNForLID(address).catch(() => null)) ?? undefined;
    return { address, shown: mapped ? digitsOf(mapped) : address.slice(0, 64) };
  }
}

/// Baileys would copy a collection of the phone's app state (contacts, mutes, stars) whenever it
/// changes, and keep an entry for each of its contacts: of a phone with thousands, more than one
/// stored value holds. Nothing here uses it. This empties the notification before Baileys reads it,
/// so that Baileys only acknowledges it.
function ignoreAppState(ws: Pick<Socket["ws"], "prependListener">): void {
  ws.prependListener("CB:notification", (node: BinaryNode) => {
    if (node.attrs["type"] === "server_sync") {
      node.content = [];
    }
  });
}

function digitsOf(address: string): string {
  return /^\d{1,20}/.exec(address)?.[0] ?? address.slice(0, 64);
}
