// One connection of one device, for the lifetime of its socket.
import makeWASocket, {
  type AuthenticationCreds,
  Browsers,
  type CacheStore,
  generateWAMessage,
  jidNormalizedUser,
  proto,
} from "baileys";
import type { Clock } from "../clock.js";
import { FrameGate, guardFrames } from "../platform/frame_gate.js";
import type { BaileysLogger } from "../platform/log.js";
import { runIn, type Scope } from "../platform/scope.js";
import { sessionRepository } from "../platform/session_repository.js";
import { InboundDesk } from "../inbound/inbound_desk.js";
import { ReceiptDesk } from "../inbound/receipt_desk.js";
import type { Gateway } from "../protocol/gateway.js";
import type { Acks } from "../sending/acks.js";
import type { Part } from "../sending/content.js";
import type { Line } from "../sending/sender.js";
import { contentOfSent, messageOfSent, sentText } from "../sending/sent.js";
import { uploadFile } from "../sending/upload.js";
import { isPaired, saveCredentials } from "../store/credentials.js";
import { DeviceStore } from "../store/device_store.js";
import { KeyStore } from "../store/key_store.js";
import { type Close, closeOf, OTHER_NUMBER } from "./close_reasons.js";
import { DeviceLists } from "./device_lists.js";
import { isSameNumber } from "./own_number.js";
import type { PlatformSettings } from "./settings.js";

/// The dependencies and callbacks of a connection.
export interface ConnectionParts {
  device: string;
  credentials: AuthenticationCreds;
  gateway: Gateway;
  clock: Clock;
  settings: PlatformSettings;
  logger: BaileysLogger;
  acks: Acks;
  uploads: CacheStore;
  opened: () => void;
  qr: (text: string) => void;
  closed: (close: Close) => void;
}

const OPEN_MS_MAX = 60_000;
const QUERY_MS = 30_000;

/// Operation: connects when constructed. Calls `closed` exactly once, also after `end`.
///
/// Only the credentials, the acks, the uploads and the stored values of a device outlive its
/// connection.
export class Connection implements Line {
  readonly store: DeviceStore;
  isOpen = false;
  private readonly socket: ReturnType<typeof makeWASocket>;
  private readonly scope: Scope;
  private readonly lists = new DeviceLists();
  private readonly cancelTimer: () => void;
  private finished = false;

  constructor(private readonly parts: ConnectionParts) {
    const { device, credentials, gateway, clock } = parts;
    this.scope = { device, fail: (error) => this.end(error) };
    this.store = new DeviceStore(
      gateway,
      device,
      (error) => this.end(error),
      (name) => gateway.log("error", `the stored value ${name} is damaged: ignored`, device),
    );
    const keys = new KeyStore(this.store);
    const gate = new FrameGate(() => this.store.pending());
    const auth = { creds: credentials, keys };
    guardFrames(auth, gate);
    const own = (address: string): boolean => this.isOwn(address);
    const inbound = new InboundDesk(gateway, device, clock, own, (error) => this.end(error));
    this.socket = runIn(this.scope, () =>
      makeWASocket({
        auth,
        ...this.fixedOptions(),
        userDevicesCache: this.lists,
        mediaCache: parts.uploads,
        getMessage: (key) => this.sentBefore(key.id),
        makeSignalRepository: sessionRepository(keys, this.scope, inbound.decrypted),
      }),
    );
    inbound.listen(this.socket, this.socket.signalRepository.lidMapping);
    const messageOf = async (id: string): Promise<string | undefined> =>
      messageOfSent((await this.store.read("sent", [id])).get(id) ?? "");
    const fail = (error: Error): void => this.end(error);
    new ReceiptDesk(gateway, device, parts.acks, gate, own, messageOf, fail).listen(this.socket.ws);
    this.listen();
    this.cancelTimer = clock.after(OPEN_MS_MAX, () => this.tooSlow());
  }

  /// Ends the connection without logging out. Idempotent.
  end(error?: Error): void {
    if (!this.finished) {
      this.finish(closeOf(error));
      void this.socket.end(error);
    }
  }

  /// Asks the platform to forget the device, and ends. A failure to reach the platform is ignored.
  async logOut(): Promise<void> {
    await this.socket.logout().catch(() => {});
    this.end();
  }

  async pairingCode(): Promise<string> {
    return this.socket.requestPairingCode(this.parts.device);
  }

  // --- Line ---

  lookUp = async (number: string): Promise<string | null | undefined> => {
    const found = await this.socket.onWhatsApp(number);
    if (!found) {
      return undefined;
    }
    const [first] = found;
    return first?.exists ? jidNormalizedUser(first.jid) : null;
  };

  async typing(address: string, on: boolean): Promise<void> {
    await this.socket.sendPresenceUpdate(on ? "composing" : "paused", address);
  }

  async prepare(address: string, part: Part): Promise<proto.IMessage> {
    const { logger, credentials, uploads, settings } = this.parts;
    if (part.upload) {
      // Without an entry in its cache Baileys would upload the file, and write it to disk for that.
      const key = `${part.upload.kind}:${part.upload.url.toString()}`;
      if ((await uploads.get(key)) === undefined) {
        const hosts = (again: boolean) => this.socket.refreshMediaConn(again);
        await uploads.set(key, await uploadFile(part.upload, hosts, settings.agent));
      }
    }
    const made = await generateWAMessage(address, part.content, {
      logger,
      userJid: credentials.me!.id,
      upload: async () => Promise.reject(new Error("the file is not at the platform")),
      mediaCache: uploads,
      messageId: part.id,
    });
    return made.message!;
  }

  async relay(address: string, part: Part, message: proto.IMessage): Promise<void> {
    const { id } = part;
    const text = sentText(part.message, message);
    void this.store.write([{ kind: "sent", id, text }]).catch(() => {}); // The store reports it.
    await this.socket.relayMessage(address, message, { messageId: id });
  }

  async forgetDevices(): Promise<void> {
    this.lists.flushAll();
  }

  // ---

  private fixedOptions() {
    const { settings, logger } = this.parts;
    return {
      ...(settings.url ? { waWebSocketUrl: settings.url } : {}),
      ...(settings.agent ? { fetchAgent: settings.agent } : {}),
      ...(settings.agent && settings.encrypted ? { agent: settings.agent } : {}),
      logger,
      browser: Browsers.ubuntu("Chrome"),
      markOnlineOnConnect: false,
      syncFullHistory: false,
      // No history: the only kind allowed here is one that the worker never requests.
      shouldSyncHistoryMessage: ({ syncType }: proto.Message.IHistorySyncNotification) =>
        syncType === proto.HistorySync.HistorySyncType.ON_DEMAND,
      // One-to-one chats only.
      shouldIgnoreJid: (jid: string) => /@(g\.us|broadcast|newsletter|bot)$/.test(jid),
      emitOwnEvents: false,
      defaultQueryTimeoutMs: QUERY_MS,
      transactionOpts: { maxCommitRetries: 1, delayBetweenTriesMs: 0 },
    };
  }

  private listen(): void {
    this.socket.ev.on("creds.update", () => this.keepCredentials());
    this.socket.ev.on("connection.update", ({ connection, qr, lastDisconnect }) => {
      if (this.finished) {
        return;
      }
      if (qr) {
        this.parts.qr(qr);
      }
      if (connection === "open") {
        this.cancelTimer();
        this.isOpen = true;
        this.parts.opened();
      } else if (connection === "close") {
        this.finish(closeOf(lastDisconnect?.error));
      }
    });
  }

  /// Baileys has merged the update into the credentials before this is called.
  private keepCredentials(): void {
    const { credentials, device } = this.parts;
    if (isPaired(credentials) && !isSameNumber(credentials.me!.id, device)) {
      // The pairing is not confirmed to the platform yet, so the phone shows that it failed.
      delete credentials.account;
      this.end(Object.assign(new Error(), { output: { statusCode: OTHER_NUMBER } }));
      return;
    }
    saveCredentials(this.store, credentials);
  }

  private async sentBefore(id: string | null | undefined): Promise<proto.IMessage | undefined> {
    const text = id ? (await this.store.read("sent", [id])).get(id) : undefined;
    return text === undefined ? undefined : contentOfSent(text);
  }

  private isOwn(address: string): boolean {
    const { me } = this.parts.credentials;
    const user = (jid: string | undefined): string => (jid ? jidNormalizedUser(jid) : "");
    return [user(me?.id), user(me?.lid)].includes(user(address)) && address !== "";
  }

  private tooSlow(): void {
    if (!this.isOpen && isPaired(this.parts.credentials)) {
      this.end(new Error("the platform did not answer in time"));
    }
  }

  private finish(close: Close): void {
    this.finished = true;
    this.isOpen = false;
    this.cancelTimer();
    this.parts.acks.closed();
    this.parts.closed(close);
  }
}
