// Routes messages, receipts and presence between devices, and sends the server's acknowledgements.
import { parseJid } from "../wire/jid.ts";
import { attribute, bytes, child, children, node, ProtocolError, type Node } from "../wire/node.ts";
import type { Account, Device } from "./account.ts";
import { Companion } from "./companion.ts";
import type { Directory } from "./directory.ts";
import type { Events } from "./events.ts";
import type { Fault, Faults } from "./faults.ts";
import { checkIdentity, seconds } from "./identity.ts";
import { checkRetryKeys } from "./key_queries.ts";
import type { Reachout } from "./reachout.ts";

/** The refusal of a message that begins a chat. */
const beginsChat: Fault = { action: "refuse", code: 463 };

export class Router {
  private readonly checked = new WeakMap<Device, Buffer>();

  constructor(
    private readonly directory: Directory,
    private readonly events: Events,
    private readonly faults: Faults,
    private readonly reachout: Reachout,
  ) {}

  /** Delivers and acknowledges a message of a companion, unless a fault changes that. */
  message(from: Companion, sent: Node): void {
    const to = attribute(sent, "to");
    const id = attribute(sent, "id");
    const account = this.directory.byJid(to);
    const recipient = account?.number;
    const { number } = from.account;
    const begins = this.reachout.refuses(from.account, account, sent);
    const fault = begins ? beginsChat : this.faults.take(number, recipient);
    const seen = { number, to: recipient ?? to, id, fault: fault?.action };
    const action = fault?.action;
    const { connection } = from;
    if (action === "refuse") {
      this.events.add("refused", { ...seen, code: fault?.code });
      connection?.send(ack(sent, { error: String(fault?.code ?? 500) }));
      return;
    }
    if (action !== "lose" && action !== "drop_before") this.fanOut(from, sent);
    this.events.add("message", seen);
    if (action === "drop_before" || action === "drop_after") connection?.drop();
    else if (action === "hold_ack") this.faults.hold(() => from.connection?.send(ack(sent)));
    else if (action === undefined) connection?.send(ack(sent));
  }

  /** Delivers to each device the ciphertext for it. */
  fanOut(from: Device, sent: Node): void {
    const identity = child(sent, "device-identity");
    if (identity) this.checkOnce(from, bytes(sent, "device-identity"));
    const direct = child(sent, "enc");
    if (direct) this.hand(from, sent, attribute(sent, "to"), direct, identity);
    for (const part of children(child(sent, "participants") ?? sent, "to")) {
      const enc = child(part, "enc");
      if (!enc) throw new ProtocolError("a recipient for whom nothing is encrypted");
      this.hand(from, sent, attribute(part, "jid"), enc, identity);
    }
  }

  /** Checks an identity only once: a companion repeats it until somebody answers. */
  private checkOnce(from: Device, identity: Buffer): void {
    if (this.checked.get(from)?.equals(identity)) return;
    checkIdentity(identity, from.account.phone.identityKey(), from.identityKey());
    this.checked.set(from, identity);
  }

  private hand(from: Device, sent: Node, jid: string, enc: Node, identity?: Node): void {
    const device = this.directory.device(jid);
    if (!device || device === from) return;
    const isFirst = enc.attrs["type"] === "pkmsg";
    if (isFirst && from.id !== 0 && !identity) {
      throw new ProtocolError("a session begun without the device's identity");
    }
    const own = device.account === from.account;
    const chat = sent.attrs["recipient"] ?? attribute(sent, "to");
    const attrs = {
      ...this.origin(from, parseJid(jid)?.server ?? ""),
      id: attribute(sent, "id"),
      type: sent.attrs["type"],
      t: String(seconds()),
      notify: from instanceof Companion ? from.pushName || undefined : undefined,
      category: sent.attrs["category"],
      recipient: own && sent.attrs["category"] !== "peer" ? chat : undefined,
    };
    device.deliver(node("message", attrs, isFirst && identity ? [enc, identity] : [enc]));
  }

  /** The sender's addresses; `from` is of the kind that the message used for its recipient. */
  private origin(from: Device, server: string): Record<string, string> {
    const { account, id } = from;
    return server === "lid"
      ? { from: account.jid("lid", id), sender_pn: account.jid("s.whatsapp.net") }
      : { from: account.jid("s.whatsapp.net", id), sender_lid: account.jid("lid") };
  }

  /** Routes a receipt to all devices of the message's sender, and a retry request to one. */
  receipt(from: Device, sent: Node): void {
    const to = attribute(sent, "to");
    const type = sent.attrs["type"];
    const id = attribute(sent, "id");
    if (from instanceof Companion) {
      checkRetryKeys(from, sent);
      from.acknowledge("message", id);
      from.connection?.send(ack(sent));
    }
    const account = this.directory.byJid(to);
    const kind = type ?? "delivery";
    this.events.add("receipt", { number: from.account.number, to: account?.number, id, kind });
    if (!account || account === from.account) return;
    const server = parseJid(to)?.server ?? "";
    const origin = this.origin(from, server);
    const attrs = { from: origin["from"], id, type, t: String(seconds()) };
    const receipt = node("receipt", attrs, sent.content);
    for (const device of this.addressed(account, to, type === "retry")) device.deliver(receipt);
  }

  private addressed(account: Account, to: string, oneOnly: boolean): Device[] {
    if (!oneOnly) return [...account.devices.values()];
    const device = this.directory.device(to);
    return device ? [device] : [];
  }

  chatState(from: Device, sent: Node): void {
    const to = attribute(sent, "to");
    const account = this.directory.byJid(to);
    const state = children(sent)[0];
    if (!account || !state) return;
    const media = state.attrs["media"];
    const seen = { to: account.number, state: state.tag, media };
    this.events.add("typing", { number: from.account.number, ...seen });
    const origin = this.origin(from, parseJid(to)?.server ?? "");
    const shown = node("chatstate", { from: origin["from"] }, [state]);
    for (const device of account.devices.values()) device.show(shown);
  }

  acknowledge(from: Companion, sent: Node): void {
    const { number } = from.account;
    const { class: kind, type, id } = sent.attrs;
    from.acknowledge(attribute(sent, "class"), attribute(sent, "id"));
    if (kind === "notification") this.events.add("acknowledged", { number, id, kind: type });
    const error = sent.attrs["error"];
    if (error) {
      this.events.add("client_error", { number: from.account.number, id: sent.attrs["id"], error });
    }
  }
}

/** The server's acknowledgement; it repeats the type only for a receipt. */
export function ack(sent: Node, extra: Record<string, string> = {}): Node {
  const { id, to, participant } = sent.attrs;
  const type = sent.tag === "receipt" ? sent.attrs["type"] : undefined;
  const t = String(seconds());
  return node("ack", { class: sent.tag, id, from: to, type, participant, t, ...extra });
}
