// The phone of an account: device 0. It links companions, reads messages, shows each message once,
// and sends messages for tests.
import { randomBytes } from "node:crypto";
import type { Account, Device, KeyBundle } from "../server/account.ts";
import type { Companion } from "../server/companion.ts";
import type { Events } from "../server/events.ts";
import { seconds, signCompanion, signDeviceList } from "../server/identity.ts";
import { number } from "../server/key_queries.ts";
import type { MediaHost } from "../server/media_host.ts";
import type { Candidate, Pairing } from "../server/pairing.ts";
import type { Router } from "../server/router.ts";
import { parseJid, platform, type Server } from "../wire/jid.ts";
import { attribute, child, children, node, type Node } from "../wire/node.ts";
import { AppState, contactsCollection } from "./app_state.ts";
import { readContent, welcomes, writeContent, type Content } from "./content.ts";
import { historyNotices } from "./history.ts";
import { agreeByCode, readQr } from "./linking.ts";
import { openMedia, sealMedia, type MediaKind } from "./media.ts";
import { linkByPasskey } from "./passkey.ts";
import { Sessions } from "./sessions.ts";

/** The parts of the platform that a phone uses. */
export interface PhoneContext {
  events: Events;
  pairing: Pairing;
  router: Router;
  mediaHost: MediaHost;
  /** The account of a number or an address. */
  account(jid: string): Account | undefined;
}

/** A message on the phone's screen. */
export interface Shown extends Content {
  id: string;
  /** The numbers of its sender and its chat. */
  from: string;
  chat: string;
  data: Buffer | undefined;
}

export type Sendable =
  | { text: string }
  | {
      media: MediaKind;
      data: Buffer;
      mimetype: string;
      caption?: string;
      fileName?: string;
      voice?: boolean;
    };

const retriesMax = 5;

export class Phone implements Device {
  readonly id = 0;
  readonly shown: Shown[] = [];
  /** Whether it sends receipts. */
  receipts = true;
  /** Whether a client that scans its QR code has to be linked through a passkey. */
  passkey = false;
  readonly appState = new AppState();
  private readonly sessions = new Sessions();
  private readonly sent = new Map<string, { to: Account; content: Content; server: Server }>();
  private readonly known = new Set<string>();
  private readonly retries = new Map<string, number>();
  private work: Promise<void> = Promise.resolve();

  constructor(
    readonly account: Account,
    private readonly context: PhoneContext,
  ) {}

  identityKey(): Buffer {
    return this.sessions.identity.publicKey;
  }

  takeBundle(): KeyBundle {
    return this.sessions.takeBundle();
  }

  signDeviceList(): Buffer {
    const { rawId } = this.account;
    return signDeviceList(this.sessions.identity, rawId, this.account.keyIndexes());
  }

  /** Links the client that shows this QR code; resolves with the new companion's id. */
  async scan(qr: string): Promise<number> {
    const { reference, noiseKey, identityKey, secret } = readQr(qr);
    const { pairing } = this.context;
    const candidate = pairing.byReference(reference, noiseKey, identityKey);
    if (!this.passkey) return this.link(candidate, secret);
    const agreed = (code: string) => this.note("passkey_code", { code });
    return this.link(candidate, await linkByPasskey(pairing.exchange(candidate), secret, agreed));
  }

  /** Links the client that waits for a code; rejects if the code is wrong. */
  async enterCode(code: string): Promise<number> {
    const { pairing } = this.context;
    const request = await pairing.byNumber(this.account.number);
    const secret = await agreeByCode(pairing, request, this.sessions.identity, code);
    return this.link(request.candidate, secret);
  }

  /** Sends a message to a number; resolves with its id. `server` "lid": addressed by LID. */
  async send(to: string, sendable: Sendable, server: Server = "s.whatsapp.net"): Promise<string> {
    const account = this.context.account(`${to}@s.whatsapp.net`);
    if (!account) throw new Error(`${to} is no number here`);
    const id = `3A${randomBytes(9).toString("hex").toUpperCase()}`;
    this.sent.set(id, { to: account, content: this.contentOf(sendable), server });
    await this.sendAgain(id, [...account.devices.values(), ...this.account.devices.values()]);
    return id;
  }

  read(to: string, ids: string[]): void {
    const [first, ...others] = ids;
    const items = others.map((id) => node("item", { id }));
    const list = items.length > 0 ? [node("list", {}, items)] : undefined;
    const attrs = { id: first, to: `${to}@s.whatsapp.net`, type: "read", t: String(seconds()) };
    this.context.router.receipt(this, node("receipt", attrs, list));
  }

  typing(to: string, state: "composing" | "paused"): void {
    const typing = node("chatstate", { to: `${to}@s.whatsapp.net` }, [node(state)]);
    this.context.router.chatState(this, typing);
  }

  /** Saves so many contacts in place of those that it has, and tells its companions. */
  saveContacts(count: number): void {
    this.appState.save(count);
    const version = String(this.appState.version);
    for (const device of this.account.devices.values()) {
      if (device === this) continue;
      const id = `sync-${version}-${device.id}`;
      const attrs = { from: platform, id, t: String(seconds()), type: "server_sync" };
      const changed = node("collection", { name: contactsCollection, version });
      device.deliver(node("notification", attrs, [changed]));
    }
  }

  /** Loses its sessions, so that it cannot decrypt messages that continue them. */
  forgetSessions(): void {
    this.sessions.clear();
  }

  /** Sends a new companion the messages that phones send after linking. */
  async welcome(companion: Companion): Promise<void> {
    const to = this.account.jid("s.whatsapp.net", companion.id);
    const history = historyNotices(this.account, (sealed) => this.context.mediaHost.store(sealed));
    for (const plain of welcomes(this.account.rawId, this.appState.key, history)) {
      const enc = await this.sessions.encrypt(companion, plain);
      const id = randomBytes(9).toString("hex").toUpperCase();
      const attrs = { id, to, type: "text", category: "peer" };
      this.context.router.fanOut(this, node("message", attrs, [enc]));
    }
  }

  deliver(delivered: Node): void {
    this.work = this.work
      .then(() => this.handle(delivered))
      .catch((error: unknown) => {
        this.note("violation", { reason: String(error) });
      });
  }

  show(shown: Node): void {
    const state = children(shown)[0];
    const from = this.numberOf(attribute(shown, "from"));
    this.note("typing_seen", { from, state: state?.tag, media: state?.attrs["media"] });
  }

  private async link(candidate: Candidate, secret: Buffer): Promise<number> {
    const { account } = this;
    const id = account.nextDeviceId();
    const { identity } = this.sessions;
    const signed = signCompanion(identity, candidate.identityKey, account.rawId, id);
    await this.context.pairing.succeed(candidate, account, id, signed, secret);
    return id;
  }

  private async handle(delivered: Node): Promise<void> {
    if (delivered.tag === "message") await this.receive(delivered);
    else if (delivered.tag === "receipt") await this.noteReceipt(delivered);
  }

  private async receive(delivered: Node): Promise<void> {
    const id = attribute(delivered, "id");
    const from = attribute(delivered, "from");
    const sender = this.context.account(from);
    const device = sender?.devices.get(parseJid(from)?.device ?? 0);
    const enc = child(delivered, "enc");
    if (!sender || !device || !enc) throw new Error(`a message that nobody sent, ${id}`);
    const known = this.known.has(`${sender.number} ${id}`);
    try {
      const opened = readContent(await this.sessions.decrypt(device, enc));
      if (known) this.note("repeated", { from: sender.number, id });
      else if (opened.content.kind !== "other") this.display(id, sender, opened);
    } catch (error) {
      if (!known) {
        this.askAgain(device, delivered, String(error));
        return;
      }
      this.note("repeated", { from: sender.number, id });
    }
    const type = sender === this.account ? "sender" : undefined;
    if (!this.receipts) return;
    this.context.router.receipt(this, node("receipt", { id, to: from, type }));
  }

  private display(id: string, sender: Account, opened: ReturnType<typeof readContent>): void {
    const { content, sentTo } = opened;
    const chat = sentTo === undefined ? sender.number : this.numberOf(sentTo);
    const { media, ...visible } = content;
    let data: Buffer | undefined;
    if (media) {
      const sealed = this.context.mediaHost.load(media.path);
      if (!sealed) throw new Error(`no media lies at ${media.path}`);
      data = openMedia(content.kind as MediaKind, media, sealed);
    }
    this.known.add(`${sender.number} ${id}`);
    this.shown.push({ ...content, id, from: sender.number, chat, data });
    const extent = media && { sha256: media.hash.toString("hex"), length: media.length };
    this.note("shown", { from: sender.number, chat, id, ...visible, ...extent });
  }

  /** Asks the sender to encrypt a message again. */
  private askAgain(device: Device, delivered: Node, reason: string): void {
    const id = attribute(delivered, "id");
    const count = (this.retries.get(id) ?? 0) + 1;
    this.retries.set(id, count);
    this.note("undecryptable", { from: device.account.number, id, count, reason });
    if (count > retriesMax) return;
    const to = attribute(delivered, "from");
    const t = attribute(delivered, "t");
    const retry = node("retry", { count: String(count), id, t, v: "1" });
    const registration = node("registration", {}, number(this.sessions.registrationId, 4));
    const attrs = { id, to, type: "retry" };
    this.context.router.receipt(this, node("receipt", attrs, [retry, registration]));
  }

  private async noteReceipt(delivered: Node): Promise<void> {
    const from = attribute(delivered, "from");
    const kind = delivered.attrs["type"] ?? "delivery";
    const id = attribute(delivered, "id");
    this.note("receipt_seen", { from: this.numberOf(from), id, kind });
    const device = this.context.account(from)?.devices.get(parseJid(from)?.device ?? 0);
    if (kind !== "retry" || !device) return;
    this.sessions.forget(device);
    await this.sendAgain(id, [device]);
  }

  private async sendAgain(id: string, devices: Device[]): Promise<void> {
    const sent = this.sent.get(id);
    if (!sent) return;
    const { to, content, server } = sent;
    const chat = to.jid(server);
    const url = (path: string) => this.context.mediaHost.url(path);
    const parts: Node[] = [];
    for (const device of devices) {
      if (device === this) continue;
      const own = device.account === this.account;
      const plain = writeContent(content, url, own ? chat : undefined);
      const jid = device.account.jid(server, device.id);
      parts.push(node("to", { jid }, [await this.sessions.encrypt(device, plain)]));
    }
    const type = content.kind === "text" ? "text" : "media";
    const participants = node("participants", {}, parts);
    this.context.router.fanOut(this, node("message", { id, to: chat, type }, [participants]));
  }

  private contentOf(sendable: Sendable): Content {
    if ("text" in sendable) return { kind: "text", text: sendable.text };
    const { media: kind, data, ...rest } = sendable;
    const media = sealMedia(kind, data, (sealed) => this.context.mediaHost.store(sealed));
    return { kind, media, ...rest };
  }

  private numberOf(jid: string): string {
    return this.context.account(jid)?.number ?? jid;
  }

  private note(type: string, details: Record<string, unknown>): void {
    this.context.events.add(type, { number: this.account.number, ...details });
  }
}
