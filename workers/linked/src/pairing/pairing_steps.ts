// The steps that a person takes to link a device.
import type { Connection } from "../devices/connection.js";
import type { Gateway, PairingStep } from "../protocol/gateway.js";
import { reasons } from "../texts.js";
import { PASSKEY_MS } from "./passkey.js";

/// How a person may begin. The platform may ask for a passkey afterwards.
export type PairingMethod = "qr" | "code";

const FIRST_QR_MS = 60_000;
const NEXT_QR_MS = 20_000;
const CODE_MS = 160_000; // As long as all the QR codes of a connection together.

/// Operation: the platform sends a series of references for QR codes. With "qr" each one becomes a
/// step. With "code" the first one means that a code can be requested, and the others are ignored.
export class PairingSteps {
  private references = 0;

  constructor(
    private readonly gateway: Gateway,
    private readonly device: string,
    private readonly method: PairingMethod,
  ) {}

  async next(connection: Pick<Connection, "pairingCode" | "end">, qr: string): Promise<void> {
    const first = this.references++ === 0;
    if (this.method === "qr") {
      const expires_in_ms = first ? FIRST_QR_MS : NEXT_QR_MS;
      this.show(reasons.awaitingScan, { method: "qr", payload: qr, expires_in_ms });
      return;
    }
    if (!first) {
      return;
    }
    try {
      const payload = await connection.pairingCode();
      const step: PairingStep = { method: "code", payload, expires_in_ms: CODE_MS };
      this.show(reasons.awaitingCode, step);
    } catch (error) {
      connection.end(error as Error);
    }
  }

  passkey(options: string): void {
    const step: PairingStep = { method: "passkey", payload: options, expires_in_ms: PASSKEY_MS };
    this.show(reasons.awaitingPasskey, step);
  }

  private show(reason: string, step: PairingStep): void {
    // A failure to report the state can be ignored: the step implies the state.
    this.gateway.state(this.device, "pairing", reason).catch(() => {});
    this.gateway.pairing(this.device, step);
  }
}
