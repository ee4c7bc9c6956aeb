// One connection of one device, for the lifetime of its socket.
import makeWASocket, {
  type AuthenticationCreds,
  type BinaryNode,
  Browsers,
  generateWAMessage,
  jidNormalizedUser,
  type NewChatMessageCapInfo,
  proto,
} from "baileys";
import { FrameGate, guardFrames } from "../baileys/frame_gate.js";
import type { BaileysLogger } from "../baileys/logger.js";
import { runIn, type Scope } from "../baileys/scope.js";
import { sessionRepository } from "../baileys/session_repository.js";
import { HistoryDesk } from "../inbound/history_desk.js";
import { InboundDesk } from "../inbound/inbound_desk.js";
import { ReceiptDesk } from "../inbound/receipt_desk.js";
import { Passkey, PASSKEY_MS, pairingExpired } from "../pairing/passkey.js";
import { isSameNumber } from "../platform/addresses.js";
import { type Clock, pause } from "../process/clock.js";
import { errorName } from "../process/log.js";
import { TimedCache } from "../process/timed_cache.js";
import type { Gateway } from "../protocol/gateway.js";
import type { Acks } from "../sending/acks.js";
import { contactOf, contactQuery } from "../sending/contact_query.js";
import type { Part } from "../sending/content.js";
import type { Restriction } from "../sending/restriction.js";
import type { Transport } from "../sending/sender.js";
import { uploadFile } from "../sending/upload.js";
import { Chats } from "../store/chats.js";
import { isPaired, saveCredentials } from "../store/credentials.js";
import { DeviceStore } from "../store/device_store.js";
import { KeyStore } from "../store/key_store.js";
import { SentMessages } from "../store/sent_messages.js";
import { type Close, closeOf, OTHER_NUMBER } from "./close_reasons.js";
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
  uploads: TimedCache;
  restriction: Restriction;
  opened: () => void;
  qr: (text: string) => void;
  /// The platform asks for a passkey's assertion: WebAuthn options as JSON.
  passkey: (options: string) => void;
  closed: (close: Close) => void;
}

const CONNECTION_CLOSED = 428; // Baileys' code.
const OPEN_MS_MAX = 60_000;
// From the removal of a device in the gateway to its `device.forget`.
const FORGET_MS_MAX = 10_000;
const QUERY_MS = 30_000;
const LISTS_MAX = 5_000;
const LISTS_MS = 5 * 60_000;

/// Operation: connects when constructed. Calls `closed` exactly once, also after `end`.
///
/// Only the credentials, the acks, the uploads, the restriction and the stored values of a device
/// outlive its connection.
export class Connection implements Transport {
  readonly store: DeviceStore;
  isOpen = false;
  private readonly socket: ReturnType<typeof makeWASocket>;
  private readonly scope: Scope;
  private readonly passkey: Passkey;
  private readonly chats: Chats;
  private readonly sent: SentMessages;
  /// Of the contacts' devices. Baileys fills it, and the worker empties it when the platform says
  /// that a list is out of date.
  private readonly deviceLists: TimedCache;
  private readonly logOutOrEnd = new AbortController();
  private cancelTimer: () => void;
  private loggingOut = false;
  private finished = false;

  constructor(private readonly parts: ConnectionParts) {
    const { device, credentials, gateway, clock } = parts;
    this.scope = { device, fail: (error) => this.end(error) };
    this.store = new DeviceStore(
      gateway,
      device,
      (error) => this.end(error),
      (name) => gateway.log("error", `the stored value ${name} is damaged: ignored`, device),
      (error) => this.removed(error),
    );
    const keys = new KeyStore(this.store);
    const gate = new FrameGate(() => this.store.pending());
    const auth = { creds: credentials, keys };
    guardFrames(auth, gate);
    const own = (address: string): boolean => this.isOwn(address);
    this.chats = new Chats(this.store, clock);
    this.sent = new SentMessages(this.store);
    this.deviceLists = new TimedCache(clock, { entriesMax: LISTS_MAX, ms: LISTS_MS });
    const { settings } = parts;
    const hosts = { agent: settings.agent, anyHost: settings.standIn };
    const host = async () => (await this.socket.refreshMediaConn(false)).hosts[0]?.hostname;
    const inbound = new InboundDesk(
      gateway,
      device,
      clock,
      own,
      (error) => this.end(error),
      (sender) => this.chats.wrote(sender),
      new HistoryDesk(this.store, gateway, hosts, host),
    );
    this.socket = runIn(this.scope, () =>
      makeWASocket({
        auth,
        ...this.fixedOptions(),
        userDevicesCache: this.deviceLists,
        mediaCache: parts.uploads,
        getMessage: async ({ id }) => (id ? this.sent.contentOf(id) : undefined),
        makeSignalRepository: sessionRepository(keys, this.scope, inbound.decrypted),
      }),
    );
    inbound.listen(this.socket, this.socket.signalRepository.lidMapping);
    const messageOf = (id: string): Promise<string | undefined> => this.sent.messageOf(id);
    const fail = (error: Error): void => this.end(error);
    new ReceiptDesk(gateway, device, parts.acks, gate, own, messageOf, fail).listen(this.socket.ws);
    const asked = (options: string): void => this.askPasskey(options);
    this.passkey = new Passkey(this.socket, credentials, asked, fail);
    this.passkey.listen();
    this.listen();
    this.cancelTimer = clock.after(OPEN_MS_MAX, () => this.tooSlow());
  }

  /// Ends the connection without logging out. Idempotent.
  end(error?: Error): void {
    if (!this.finished) {
      this.finish(closeOf(error));
      void this.socket.end(error);
      this.failQueries();
    }
  }

  /// Asks the platform to forget the device, and ends. A failure to reach the platform is logged.
  /// From now on frames leave although the gateway stores nothing of a device that it has removed.
  async logOut(): Promise<void> {
    this.loggingOut = true;
    this.logOutOrEnd.abort();
    await this.socket.logout().catch((error: unknown) => {
      const { gateway, device } = this.parts;
      gateway.log("warn", `the platform may not know of the log-out: ${errorName(error)}`, device);
    });
    this.end();
  }

  /// Errors: ProtocolError `invalid`.
  answerPasskey(answer: string): Promise<void> {
    return this.passkey.answer(answer);
  }

  async pairingCode(): Promise<string> {
    return this.socket.requestPairingCode(this.parts.device);
  }

  // --- Transport ---

  lookUp = async (number: string): Promise<string | null | undefined> => {
    const query = contactQuery(number, this.socket.generateMessageTag());
    return contactOf((await this.socket.query(query)) as BinaryNode);
  };

  async checkChat(number: string): Promise<void> {
    const { restriction, settings } = this.parts;
    if (settings.restricted) {
      await restriction.check(() => this.chats.mayWrite(number));
    }
  }

  async askRestriction(platformCode: string): Promise<void> {
    await this.readRestrictions();
    if (this.parts.settings.restricted) {
      this.parts.restriction.refuse(platformCode);
    }
  }

  /// Both answers come as events too. A platform that does not answer tells of changes by itself.
  async readRestrictions(): Promise<void> {
    await Promise.allSettled([
      this.socket.fetchAccountReachoutTimelock(),
      this.socket
        .fetchNewChatMessageCap()
        .then((cap) => this.parts.restriction.noteCap(cap as NewChatMessageCapInfo)),
    ]);
  }

  async typing(address: string, on: boolean): Promise<void> {
    await this.socket.sendPresenceUpdate(on ? "composing" : "paused", address);
  }

  async prepare(address: string, part: Part): Promise<proto.IMessage> {
    const { logger, credentials, uploads, settings } = this.parts;
    if (part.upload) {
      // Without an entry in its cache Baileys would upload the file, and write it to disk for that.
      const key = `${part.upload.kind}:${part.upload.url.toString()}`;
      if (uploads.get(key) === undefined) {
        const hosts = (again: boolean) => this.socket.refreshMediaConn(again);
        uploads.set(key, await uploadFile(part.upload, hosts, settings.agent));
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
    this.sent.keep(part.id, part.message, message);
    await this.socket.relayMessage(address, message, { messageId: part.id });
  }

  async forgetDevices(): Promise<void> {
    this.deviceLists.flushAll();
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
      // inbound/history_desk.ts reads the history; Baileys would load it whole. The only kind that
      // is allowed here is one that the worker never requests.
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
    this.socket.ev.on("message-capping.update", (cap) => this.parts.restriction.noteCap(cap));
    this.socket.ev.on("connection.update", ({ reachoutTimeLock: lock }) => {
      if (lock) {
        this.parts.restriction.noteTimeLock(lock);
      }
    });
    this.socket.ev.on("connection.update", ({ connection, qr, lastDisconnect }) => {
      if (this.finished) {
        return;
      }
      if (qr && this.passkey.isShown()) {
        this.parts.qr(qr);
      }
      if (connection === "open") {
        this.cancelTimer();
        this.isOpen = true;
        this.parts.opened();
        void this.readRestrictions();
      } else if (connection === "close") {
        this.finish(closeOf(lastDisconnect?.error));
        this.failQueries();
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

  private askPasskey(options: string): void {
    this.cancelTimer();
    this.cancelTimer = this.parts.clock.after(PASSKEY_MS, () => {
      if (!isPaired(this.parts.credentials)) {
        this.end(pairingExpired());
      }
    });
    this.parts.passkey(options);
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

  /// Baileys stops listening to its socket before it closes it, so that each query, and the send
  /// that needs it, would wait for its time limit. A query also ends at an error of the socket.
  private failQueries(): void {
    const closed = { output: { statusCode: CONNECTION_CLOSED } };
    this.socket.ws.emit("error", Object.assign(new Error("the connection is closed"), closed));
  }

  /// The gateway removes a device before it has the worker forget it. A connection that ended at
  /// the first value that is not stored could not log out any more.
  private async removed(error: Error): Promise<void> {
    await pause(this.parts.clock, FORGET_MS_MAX, this.logOutOrEnd.signal);
    if (!this.loggingOut) {
      throw error;
    }
  }

  private finish(close: Close): void {
    this.finished = true;
    this.logOutOrEnd.abort();
    this.isOpen = false;
    this.cancelTimer();
    this.parts.acks.closed();
    this.parts.closed(close);
  }
}
