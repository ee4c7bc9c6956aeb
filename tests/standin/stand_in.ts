// The platform of linked devices in one process, for tests: see README.md.
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WebSocketServer } from "ws";
import { makeKeyPair } from "./crypto/curve.ts";
import { Phone, type PhoneContext } from "./phone/phone.ts";
import type { Account } from "./server/account.ts";
import { makeChain, type ChainFault } from "./server/certificate.ts";
import { Companion } from "./server/companion.ts";
import { Connection, type ConnectionOwner } from "./server/connection.ts";
import { announce } from "./server/device_list.ts";
import { Directory } from "./server/directory.ts";
import { Events } from "./server/events.ts";
import { Faults } from "./server/faults.ts";
import { seconds } from "./server/identity.ts";
import { MediaHost } from "./server/media_host.ts";
import { Pairing, result } from "./server/pairing.ts";
import { answerQuery } from "./server/queries.ts";
import type { LookUpFault } from "./server/user_query.ts";
import { Reachout } from "./server/reachout.ts";
import { Router } from "./server/router.ts";
import { makeTlsFiles, type TlsFiles } from "./server/tls.ts";
import { child, node, ProtocolError, type Node } from "./wire/node.ts";
import type { Message } from "./wire/protobuf.ts";

const host = "127.0.0.1";
const frameMax = 16 * 1024 * 1024;
const loggedOut = 401;

export class StandIn implements ConnectionOwner {
  readonly events = new Events();
  readonly faults = new Faults();
  readonly pairing = new Pairing(this.events);
  serverKey = makeKeyPair();
  readonly mediaHost = new MediaHost(this.events, () => `https://${this.address}`);
  /** What is wrong with the answers to look-ups of numbers, if anything. */
  lookUpFault: LookUpFault | undefined;
  /** The fault of the handshake's certificates, if any. */
  chainFault: ChainFault | undefined;
  /**
   * Milliseconds between the end of a handshake and the first frame after it, as on a real network.
   * Baileys 6.7 does not wait until its keys are changed (`noise.finishInit()`): it takes an
   * earlier frame for part of the handshake, and then cannot read any later one.
   */
  firstWordAfter = 0;
  private readonly root = makeKeyPair();
  private readonly directory = new Directory();
  readonly reachout = new Reachout();
  private readonly router = new Router(this.directory, this.events, this.faults, this.reachout);
  private readonly companions = new Map<Connection, Companion>();
  private readonly connections = new Set<Connection>();
  private readonly tls: TlsFiles;
  private server: Server | undefined;
  private port = 0;

  private constructor(private readonly folder: string) {
    this.tls = makeTlsFiles(folder);
  }

  /** Starts on a free port of 127.0.0.1. */
  static async start(): Promise<StandIn> {
    const made = new StandIn(mkdtempSync(join(tmpdir(), "stand-in-")));
    await made.listen();
    return made;
  }

  get address(): string {
    return `${host}:${this.port}`;
  }

  /** Where clients connect. */
  get url(): string {
    return `wss://${this.address}/ws/chat`;
  }

  /** The certificate file that clients must trust for TLS. */
  get rootFile(): string {
    return this.tls.certificateFile;
  }

  get rootCertificate(): string {
    return this.tls.certificate;
  }

  get rootKey(): Buffer {
    return this.root.publicKey;
  }

  /** Settings with which a gateway's linked devices connect here. */
  get gatewaySettings(): Record<string, string> {
    return {
      "linked.url": this.url,
      "linked.root_key": this.rootKey.toString("hex"),
      "outbound.ca_file": this.rootFile,
    };
  }

  certificates(): Buffer {
    return makeChain(this.root, this.serverKey.publicKey, this.chainFault);
  }

  /** The phone of a number; an unknown number becomes registered. */
  phone(number: string): Phone {
    const account = this.directory.open(number, (opened) => {
      opened.devices.set(0, new Phone(opened, this.phoneContext));
    });
    return account.devices.get(0) as Phone;
  }

  /** Sets whether look-ups find the number. An unknown number is not registered. */
  setRegistered(number: string, registered: boolean): void {
    this.phone(number).account.registered = registered;
  }

  /** `issuer` trusts `number`, which may write to it from now on. */
  trust(issuer: string, number: string): void {
    this.reachout.trust(this.phone(issuer).account, this.phone(number).account);
  }

  /** Lets the number begin no chats until a time in milliseconds; undefined: lets it again. */
  lock(number: string, until: number | undefined): void {
    this.reachout.lock(this.phone(number).account, until && Math.ceil(until / 1000));
  }

  /** Says that the number has begun as many chats as it may until then; undefined: it has not. */
  cap(number: string, until: number | undefined): void {
    this.reachout.cap(this.phone(number).account, until && Math.ceil(until / 1000));
  }

  /** A companion of a number; the newest, if no id is given. */
  companion(number: string, id?: number): Companion {
    const devices = this.directory.byNumber(number)?.devices;
    const found = id === undefined ? [...(devices?.values() ?? [])].at(-1) : devices?.get(id);
    if (!(found instanceof Companion)) throw new Error(`${number} has no such companion`);
    return found;
  }

  /** Ends a companion's connection with a code; 401 unlinks it, 403 refuses its account. */
  close(number: string, code: number): void {
    const companion = this.companion(number);
    if (code === loggedOut) {
      this.unlink(companion);
      return;
    }
    if (code === 403) companion.account.refusal = code;
    const reason = code === 440 ? [node("conflict", { type: "replaced" })] : [];
    const attrs = code === 440 ? {} : { code: String(code) };
    companion.connection?.close(node("stream:error", attrs, reason));
  }

  /** Cuts a companion's connection, as a network failure does. */
  drop(number: string): void {
    this.companion(number).connection?.drop();
  }

  /** Changes the handshake's key, so that clients that remember it cannot resume. */
  changeServerKey(): void {
    this.serverKey = makeKeyPair();
  }

  /** Refuses the logins of a number with a code; undefined: allows them again. */
  refuseLogins(number: string, code: number | undefined): void {
    this.phone(number).account.refusal = code;
  }

  /** The phone removes a companion. */
  unlink(companion: Companion): void {
    companion.account.devices.delete(companion.id);
    announce(companion.account, "remove", companion.id);
    this.events.add("unlinked", { number: companion.account.number, device: companion.id });
    const reason = node("conflict", { type: "device_removed" });
    companion.connection?.close(node("stream:error", { code: String(loggedOut) }, [reason]));
  }

  /** Goes off the network, and keeps its state. */
  async stop(): Promise<void> {
    const { server } = this;
    if (!server) return;
    this.server = undefined;
    const closed = new Promise((resolve) => server.close(resolve));
    for (const connection of this.connections) connection.drop();
    server.closeAllConnections();
    await closed;
  }

  /** Listens, after a stop at the same address. */
  async listen(): Promise<void> {
    const { certificate: cert, key } = this.tls;
    const server = createServer({ cert, key }, (request, response) => {
      if (!this.mediaHost.handle(request, response)) response.writeHead(404).end();
    });
    const sockets = new WebSocketServer({ server, maxPayload: frameMax });
    sockets.on("connection", (socket) => this.connections.add(new Connection(socket, this)));
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(this.port, host, resolve);
    });
    this.port = (server.address() as AddressInfo).port;
    this.server = server;
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.listen();
  }

  /** Stops, and removes its files. */
  async end(): Promise<void> {
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  opened(connection: Connection, clientKey: Buffer, payload: Message): void {
    if (this.firstWordAfter === 0) this.answer(connection, clientKey, payload);
    else setTimeout(() => this.answer(connection, clientKey, payload), this.firstWordAfter);
  }

  private answer(connection: Connection, clientKey: Buffer, payload: Message): void {
    const registration = payload.message(19);
    if (registration) {
      this.pairing.begin(connection, clientKey, registration);
      return;
    }
    const number = String(payload.number(1));
    const account = this.directory.byNumber(number);
    const device = account?.devices.get(payload.number(18) ?? 0);
    const refusal = account?.refusal;
    if (!account || !(device instanceof Companion) || !device.noiseKey.equals(clientKey)) {
      this.refuse(connection, number, loggedOut);
    } else if (refusal !== undefined) this.refuse(connection, number, refusal);
    else this.login(connection, account, device, payload.number(3) === 1);
  }

  received(connection: Connection, received: Node): void {
    const companion = this.companions.get(connection);
    if (companion?.isLinked) this.handle(companion, received);
    else if (companion)
      return; // The companion was unlinked just before.
    else if (!this.pairing.received(connection, received) && received.tag === "iq") {
      connection.send(result(received)); // A ping of a client that is not linked.
    }
  }

  closed(connection: Connection): void {
    this.connections.delete(connection);
    this.pairing.forget(connection);
    const companion = this.companions.get(connection);
    this.companions.delete(connection);
    if (!companion?.detach(connection)) return;
    this.events.add("closed", { number: companion.account.number, device: companion.id });
  }

  violated(connection: Connection, error: unknown): void {
    const number = this.companions.get(connection)?.account.number;
    const reason = error instanceof ProtocolError ? error.message : String(error);
    this.events.add("violation", { number, reason });
  }

  private refuse(connection: Connection, number: string, code: number): void {
    this.events.add("login_refused", { number, code });
    connection.close(node("failure", { reason: String(code), location: "stand-in" }));
  }

  private login(
    connection: Connection,
    account: Account,
    companion: Companion,
    passive: boolean,
  ): void {
    const replaced = companion.attach(connection);
    this.companions.set(connection, companion);
    if (replaced) {
      const reason = node("conflict", { type: "replaced" });
      replaced.close(node("stream:error", {}, [reason]));
    }
    const attrs = { t: String(seconds()), lid: account.jid("lid", companion.id), props: "1" };
    connection.send(node("success", { ...attrs, location: "stand-in" }));
    this.events.add("login", { number: account.number, device: companion.id });
    if (!passive) companion.activate();
  }

  private handle(from: Companion, received: Node): void {
    if (received.tag === "iq") this.query(from, received);
    else if (received.tag === "message") this.router.message(from, received);
    else if (received.tag === "receipt") this.router.receipt(from, received);
    else if (received.tag === "ack") this.router.acknowledge(from, received);
    else if (received.tag === "chatstate") this.router.chatState(from, received);
    else if (received.tag === "presence") from.pushName = received.attrs["name"] ?? from.pushName;
  }

  private query(from: Companion, query: Node): void {
    if (query.attrs["type"] === "result") return;
    answerQuery(this.queryContext, from, query);
    const isActive = child(query, "active") !== undefined;
    if (!isActive || from.welcomed) return;
    from.welcomed = true;
    this.events.add("online", { number: from.account.number, device: from.id });
    void this.phone(from.account.number).welcome(from);
  }

  private readonly phoneContext: PhoneContext = {
    events: this.events,
    pairing: this.pairing,
    router: this.router,
    mediaHost: this.mediaHost,
    account: (jid) => this.directory.byJid(jid),
  };

  private readonly queryContext = {
    directory: this.directory,
    events: this.events,
    mediaHost: () => this.address,
    store: (sealed: Buffer) => this.mediaHost.store(sealed),
    reachout: this.reachout,
    lookUpFault: () => this.lookUpFault,
    unlink: (companion: Companion) => this.unlink(companion),
  };
}
