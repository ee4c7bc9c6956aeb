// Passes acknowledgements and receipts that arrive at one connection to senders and the gateway.
import type { EventEmitter } from "node:events";
import type { BinaryNode } from "baileys";
import type { FrameGate } from "../baileys/frame_gate.js";
import { ProtocolError } from "../protocol/errors.js";
import type { Gateway, MessageStatus } from "../protocol/gateway.js";
import type { Acks } from "../sending/acks.js";
import { isOurs } from "../sending/content.js";
import { refusal } from "../sending/refusals.js";
import { receiptOf, milliseconds } from "./receipts.js";

/// Operation: an acknowledgement settles the send that waits for it; a late one becomes a status.
/// Receipts become statuses. No frame, not even Baileys' own acknowledgement, leaves before those
/// statuses are durable. If the gateway cannot take a status, `fail` ends the connection, and the
/// platform repeats the receipt. `messageOf` finds the gateway's message by the platform's id.
export class ReceiptDesk {
  constructor(
    private readonly gateway: Pick<Gateway, "status">,
    private readonly device: string,
    private readonly acks: Acks,
    private readonly gate: FrameGate,
    private readonly own: (address: string) => boolean,
    private readonly messageOf: (id: string) => Promise<string | undefined>,
    private readonly fail: (error: Error) => void,
  ) {}

  listen(ws: Pick<EventEmitter, "prependListener">): void {
    ws.prependListener("CB:ack,class:message", (node: BinaryNode) => this.acknowledged(node));
    ws.prependListener("CB:receipt", (node: BinaryNode) => this.receipt(node));
  }

  private acknowledged(node: BinaryNode): void {
    const { id, error, t } = node.attrs;
    if (!id || !isOurs(id)) {
      return;
    }
    const awaited = error ? this.acks.refused(id, error) : this.acks.taken(id);
    if (awaited) {
      return;
    }
    const at = milliseconds(t);
    const status: MessageStatus = error
      ? { platform_id: id, status: "failed", error: refusal(error).fields() }
      : { platform_id: id, status: "sent" };
    this.report({ ...status, ...(at === undefined ? {} : { occurred_at_ms: at }) });
  }

  private receipt(node: BinaryNode): void {
    const receipt = receiptOf(node, this.own);
    for (const id of receipt?.ids ?? []) {
      this.acks.taken(id); // A receipt proves that the platform took the message.
      this.report({
        platform_id: id,
        status: receipt!.status,
        ...(receipt!.at === undefined ? {} : { occurred_at_ms: receipt!.at }),
      });
    }
  }

  private report(status: MessageStatus): void {
    const durable = this.tell(status).catch((error: Error) => {
      const passing = ["busy", "closing", "unavailable", "internal", "stale"];
      if (!(error instanceof ProtocolError) || passing.includes(error.kind)) {
        this.fail(error);
        throw error;
      }
    });
    this.gate.hold(durable);
  }

  private async tell(status: MessageStatus): Promise<void> {
    const message = await this.messageOf(status.platform_id).catch(() => undefined);
    await this.gateway.status(this.device, message ? { ...status, message } : status);
  }
}
