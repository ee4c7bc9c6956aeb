// An independent client, whatsapp-rust, in its build for WebAssembly. It is stricter than Baileys:
// it compares the digest of its keys, and resumes its handshakes.
import WebSocket from "ws";
import {
  createWhatsAppClient,
  decodeMessageWireBatch,
  decodeProtoBatch,
  encodeProto,
  initWasmEngine,
  type JsTransportCallbacks,
  type JsTransportHandle,
  type WasmWhatsAppClient,
  type WhatsAppEvent,
} from "whatsapp-rust-bridge";
import { Changes } from "./changes.ts";
import type { Platform } from "./client.ts";
import { trusting } from "./trust.ts";

interface Received {
  id: string;
  text: string | undefined;
}

/** The package's declarations lack these fields. */
interface Batch {
  messageData: Uint8Array;
  messageOffsets: Uint32Array;
  infos: { id: string }[];
}
interface Text {
  conversation?: string;
  extendedTextMessage?: { text: string };
}

const version = [2, 3000, 1043857760] as const;
let isEngineReady = false;

export class SecondClient {
  readonly events: WhatsAppEvent[] = [];
  readonly received: Received[] = [];
  private readonly changes = new Changes();
  private socket: WebSocket | undefined;

  private constructor(
    private readonly platform: Platform,
    readonly raw: WasmWhatsAppClient,
  ) {}

  /** Makes a client that is not linked, and begins to connect. */
  static async start(platform: Platform): Promise<SecondClient> {
    if (!isEngineReady) initWasmEngine();
    isEngineReady = true;
    let made: SecondClient | undefined;
    const transport: JsTransportCallbacks = {
      connect: (handle) => made?.connect(handle),
      send: (data) => made?.socket?.send(Buffer.from(data)),
      disconnect: () => made?.socket?.close(),
    };
    const dispatcher = await trusting(platform.rootCertificate);
    const raw = await createWhatsAppClient(
      transport,
      { execute: (...request) => execute(dispatcher, ...request) },
      {
        onEvent: (event) => made?.note(event),
        onMessageBatch: (batch) => made?.receive(batch),
        onHistorySyncBatch: () => 0,
      },
      null,
      null,
      version,
    );
    made = new SecondClient(platform, raw);
    raw.run();
    return made;
  }

  async qr(): Promise<string> {
    const event = await this.event("qr");
    return event.data.code;
  }

  async event<Type extends WhatsAppEvent["type"]>(
    type: Type,
    matches: (event: Extract<WhatsAppEvent, { type: Type }>) => boolean = () => true,
  ): Promise<Extract<WhatsAppEvent, { type: Type }>> {
    type Found = Extract<WhatsAppEvent, { type: Type }>;
    const isIt = (event: WhatsAppEvent): event is Found =>
      event.type === type && matches(event as Found);
    return this.changes.until(type, () => this.events.find(isIt));
  }

  message(text: string): Promise<Received> {
    return this.changes.until(`the message "${text}"`, () =>
      this.received.find((message) => message.text === text),
    );
  }

  /** Sends a message; resolves with its id. */
  send(number: string, message: object): Promise<string> {
    return this.raw.sendMessageBytes(`${number}@s.whatsapp.net`, encodeProto("Message", message));
  }

  async end(): Promise<void> {
    this.raw.setAutoReconnect(false);
    await this.raw.disconnect();
  }

  private async connect(handle: JsTransportHandle): Promise<void> {
    const socket = new WebSocket(this.platform.url, { ca: this.platform.rootCertificate });
    this.socket = socket;
    socket.on("message", (data: Buffer) => handle.onData(new Uint8Array(data)));
    socket.on("close", () => handle.onDisconnected());
    await new Promise<void>((resolve, reject) => {
      socket.on("open", resolve);
      socket.on("error", reject);
    });
    handle.onConnected();
  }

  private note(event: WhatsAppEvent): void {
    this.events.push(event);
    this.changes.happened();
  }

  private receive(batch: Uint8Array): void {
    const { messageData, messageOffsets, infos } = decodeMessageWireBatch(batch) as Batch;
    const messages = decodeProtoBatch("Message", messageData, messageOffsets) as Text[];
    infos.forEach(({ id }, at) => {
      const message = messages[at];
      const text = message?.conversation ?? message?.extendedTextMessage?.text;
      this.received.push({ id, text });
    });
    this.changes.happened();
  }
}

async function execute(
  dispatcher: unknown,
  url: string,
  method: string,
  headers: Record<string, string>,
  body: Uint8Array | null,
): Promise<{ statusCode: number; body: Uint8Array }> {
  const options = { method, headers, body, dispatcher } as RequestInit;
  const response = await fetch(url, options);
  return { statusCode: response.status, body: new Uint8Array(await response.arrayBuffer()) };
}
