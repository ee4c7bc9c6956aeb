// An unmodified client, Baileys, that connects to the stand-in, for the stand-in's own tests.
import {
  DisconnectReason,
  downloadMediaMessage,
  initAuthCreds,
  makeWASocket,
  type proto,
  type AnyMessageContent,
  type AuthenticationCreds,
  type ConnectionState,
  type SignalDataSet,
  type SignalDataTypeMap,
  type UserFacingSocketConfig,
  type WAMessage,
} from "baileys";
import { Agent } from "node:https";
import { deserialize, serialize } from "node:v8";
import { Changes } from "./changes.ts";
import { silent } from "./silent.ts";
import { redirecting, trusting } from "./trust.ts";

type Socket = ReturnType<typeof makeWASocket>;
type Stanza = { tag: string; attrs: Record<string, string> };

/** The address that a client connects to, and the certificate that it trusts. */
export interface Platform {
  url: string;
  rootCertificate: string;
}

/** The state that a client keeps between its connections. */
export class ClientState {
  constructor(
    readonly creds: AuthenticationCreds = initAuthCreds(),
    private readonly kept = new Map<string, unknown>(),
  ) {}

  /** A copy of the current state, like a copy of a disk. */
  copy(): ClientState {
    const { creds, kept } = deserialize(serialize({ creds: this.creds, kept: this.kept }));
    return new ClientState(creds, kept);
  }

  readonly keys = {
    get: async <T extends keyof SignalDataTypeMap>(type: T, ids: string[]) => {
      const found = ids.map((id) => [id, this.kept.get(`${type} ${id}`)] as const);
      const present = found.filter(([, value]) => value !== undefined && value !== null);
      return Object.fromEntries(present) as Record<string, SignalDataTypeMap[T]>;
    },
    set: async (data: SignalDataSet) => {
      for (const [type, values] of Object.entries(data)) {
        for (const [id, value] of Object.entries(values)) this.kept.set(`${type} ${id}`, value);
      }
    },
  };
}

export class Client {
  readonly state: ClientState;
  readonly received: WAMessage[] = [];
  /** Acknowledgements and receipts, in the order of their arrival. */
  readonly stanzas: Stanza[] = [];
  readonly typing: string[] = [];
  private socket: Socket;
  private readonly changes = new Changes();
  private latest: Partial<ConnectionState> = {};

  constructor(
    private readonly platform: Platform,
    state = new ClientState(),
    private readonly options: Partial<UserFacingSocketConfig> = {},
  ) {
    this.state = state;
    this.socket = this.connect();
  }

  get raw(): Socket {
    return this.socket;
  }

  /** Connects again with its state. */
  reconnect(): void {
    this.latest = {};
    this.socket = this.connect();
  }

  qr(): Promise<string> {
    return this.changes.until("a QR code", () => this.latest.qr);
  }

  async code(number: string): Promise<string> {
    await this.qr();
    return this.socket.requestPairingCode(number);
  }

  async open(): Promise<void> {
    await this.changes.until("the connection", () => this.latest.connection === "open");
    await this.changes.until("what waited", () => this.latest.receivedPendingNotifications);
  }

  /** The code with which the connection ended. */
  closed(): Promise<number> {
    return this.changes.until("the connection's end", () => {
      const error = this.latest.lastDisconnect?.error as { output?: { statusCode: number } };
      return this.latest.connection === "close" ? (error?.output?.statusCode ?? -1) : undefined;
    });
  }

  /** Waits, after a code was scanned or typed, until the first login. */
  async linked(): Promise<void> {
    const code = await this.closed();
    if (code !== DisconnectReason.restartRequired) throw new Error(`closed with ${code}`);
    this.reconnect();
    await this.open();
  }

  async end(): Promise<void> {
    await this.socket.end(undefined);
  }

  /** Sends a text to a number; resolves with its id. */
  text(number: string, text: string, id?: string): Promise<string> {
    return this.send(number, { text }, id);
  }

  async send(number: string, content: AnyMessageContent, messageId?: string): Promise<string> {
    const options = messageId === undefined ? {} : { messageId };
    const to = `${number}@s.whatsapp.net`;
    const sent = await this.socket.sendMessage(to, content, options);
    return sent?.key.id ?? "";
  }

  message(text: string): Promise<WAMessage> {
    return this.changes.until(`the message "${text}"`, () =>
      this.received.find(({ message }) => textOf(message) === text),
    );
  }

  /** Waits for the message with this id, and downloads its media. */
  async download(id: string): Promise<Buffer> {
    const got = await this.changes.until(`the message ${id}`, () =>
      this.received.find(({ key, message }) => key.id === id && message),
    );
    const options = { dispatcher: await trusting(this.platform.rootCertificate) };
    return downloadMediaMessage(got, "buffer", { options } as never);
  }

  stanza(tag: string, id: string, type?: string): Promise<Stanza> {
    return this.changes.until(`<${tag}> of ${id}`, () =>
      this.stanzas.find(
        (each) => each.tag === tag && each.attrs["id"] === id && each.attrs["type"] === type,
      ),
    );
  }

  typingOf(state: string): Promise<true> {
    return this.changes.until(`to see "${state}"`, () => this.typing.includes(state) || undefined);
  }

  private connect(): Socket {
    const ca = this.platform.rootCertificate;
    const { creds, keys } = this.state;
    const agent = new Agent({ ca });
    const origin = this.platform.url.replace(/^wss(.*)\/ws.*/, "https$1");
    const socket = makeWASocket({
      auth: { creds, keys },
      waWebSocketUrl: this.platform.url,
      agent,
      fetchAgent: agent,
      options: { dispatcher: redirecting(ca, origin) } as RequestInit,
      logger: silent,
      ...this.options,
    });
    socket.ev.on("creds.update", (update) => Object.assign(creds, update));
    socket.ev.on("connection.update", (update) => {
      Object.assign(this.latest, update);
      this.changes.happened();
    });
    socket.ev.on("messages.upsert", ({ messages }) => {
      this.received.push(...messages);
      this.changes.happened();
    });
    socket.ev.on("presence.update", ({ presences }) => {
      for (const { lastKnownPresence } of Object.values(presences)) {
        this.typing.push(lastKnownPresence);
      }
      this.changes.happened();
    });
    for (const tag of ["ack", "receipt"]) {
      socket.ws.on(`CB:${tag}`, (stanza: Stanza) => {
        this.stanzas.push(stanza);
        this.changes.happened();
      });
    }
    return socket;
  }
}

export function textOf(message: proto.IMessage | null | undefined): string | undefined {
  return message?.conversation ?? message?.extendedTextMessage?.text ?? undefined;
}
