// A gateway, an account, a media host and a receiver of callbacks, for media tests.
import type { Reply } from "./account.ts";
import { shop, type Account, type RequestOptions } from "./account.ts";
import { expectSchema } from "./contract.ts";
import { expectAccepted } from "./expect.ts";
import { Gateway, type GatewayOptions } from "./gateway.ts";
import { MediaServer } from "./media_server.ts";
import { freshNumber } from "./numbers.ts";
import { Sink } from "./sink.ts";

export type Revision = "A" | "B";

export interface MediaFields {
  url: unknown;
  caption?: string;
  [field: string]: unknown;
}

let results = 0;

export class MediaShop {
  readonly gateway: Gateway;
  readonly host: MediaServer;
  readonly sink: Sink;
  readonly account: Account;
  readonly device: string;

  private constructor(gateway: Gateway, host: MediaServer, sink: Sink, home: Home) {
    this.gateway = gateway;
    this.host = host;
    this.sink = sink;
    this.account = home.account;
    this.device = home.device;
  }

  static async open(options: GatewayOptions = {}): Promise<MediaShop> {
    const settings = { "outbound.allow_http_callbacks": true, ...options.settings };
    const [host, sink, gateway] = await Promise.all([
      MediaServer.open(),
      Sink.open({ secure: false }),
      Gateway.create({ ...options, settings }),
    ]);
    return new MediaShop(gateway, host, sink, await shop(gateway, { credits: 1_000_000 }));
  }

  async close(): Promise<void> {
    await this.gateway.close();
    await Promise.all([this.host.close(), this.sink.close()]);
  }

  /** Sends media; the caption goes into the revision's field. */
  send(revision: Revision, fields: MediaFields, options: RequestOptions = {}): Promise<Reply> {
    const { caption, ...rest } = fields;
    const text = caption === undefined ? {} : { [revision === "A" ? "message" : "pesan"]: caption };
    return this.account.send(
      { to: freshNumber(), from: this.device, Type: "media", ...text, ...rest },
      { ...options, headers: { "X-Api-Revision": revision, ...options.headers } },
    );
  }

  /** Sends by revision A; resolves with the callback's fields. */
  async outcome(fields: MediaFields, deadline = 30_000): Promise<any> {
    const path = `/hasil-${(results += 1)}`;
    const reply = await this.send("A", { callbackStatus: this.sink.url(path), ...fields });
    const requestId = expectAccepted(reply);
    const { json } = await this.sink.request(path, deadline);
    expectSchema("DeliveryStatus", json);
    if (json.requestId !== requestId) throw new Error(`a callback of another: ${json.requestId}`);
    return json;
  }

  async credit(): Promise<number> {
    return (await this.gateway.json("account", "show", this.account.id)).credit;
  }
}

type Home = Awaited<ReturnType<typeof shop>>;
