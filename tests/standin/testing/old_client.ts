// A client of the previous major version, Baileys 6.7, with its state in a folder, as gateways
// built on it keep their state.
import { Agent } from "node:https";
import {
  makeWASocket,
  useMultiFileAuthState,
  type ConnectionState,
  type proto,
  type UserFacingSocketConfig,
} from "baileys-6";
import { Changes } from "./changes.ts";
import type { Platform } from "./client.ts";
import { silent } from "./silent.ts";

export class OldClient {
  private readonly changes = new Changes();
  private latest: Partial<ConnectionState> = {};
  private readonly received: proto.IWebMessageInfo[] = [];

  private constructor(
    private readonly platform: Platform,
    private readonly folder: Awaited<ReturnType<typeof useMultiFileAuthState>>,
    private socket: ReturnType<typeof makeWASocket>,
  ) {}

  /** Makes a client that connects at once. */
  static async start(platform: Platform, folder: string): Promise<OldClient> {
    const kept = await useMultiFileAuthState(folder);
    const client = new OldClient(platform, kept, connect(platform, kept.state));
    client.listen();
    return client;
  }

  qr(): Promise<string> {
    return this.changes.until("a QR code", () => this.latest.qr);
  }

  async open(): Promise<void> {
    await this.changes.until("the connection", () => this.latest.connection === "open");
  }

  /** Waits, after a code was scanned, until the first login. */
  async linked(): Promise<void> {
    await this.changes.until("the restart", () => this.latest.connection === "close");
    this.latest = {};
    this.socket = connect(this.platform, this.folder.state);
    this.listen();
    await this.open();
  }

  async text(number: string, text: string): Promise<void> {
    await this.socket.sendMessage(`${number}@s.whatsapp.net`, { text });
  }

  message(text: string): Promise<proto.IWebMessageInfo> {
    return this.changes.until(`the message "${text}"`, () =>
      this.received.find(
        ({ message }) => (message?.conversation ?? message?.extendedTextMessage?.text) === text,
      ),
    );
  }

  /** Ends the connection, and saves the state to the folder. */
  async end(): Promise<void> {
    this.socket.end(undefined);
    await this.folder.saveCreds();
  }

  private listen(): void {
    const { ev } = this.socket;
    ev.on("creds.update", () => void this.folder.saveCreds());
    ev.on("connection.update", (update) => {
      Object.assign(this.latest, update);
      this.changes.happened();
    });
    ev.on("messages.upsert", ({ messages }) => {
      this.received.push(...messages);
      this.changes.happened();
    });
  }
}

function connect(platform: Platform, auth: UserFacingSocketConfig["auth"]) {
  const agent = new Agent({ ca: platform.rootCertificate });
  return makeWASocket({
    auth,
    waWebSocketUrl: platform.url,
    agent,
    fetchAgent: agent,
    logger: silent,
  });
}
