// Takes the contacts' tokens and addresses from the history that the phone sends at linking.
import { Readable } from "node:stream";
import { createInflate } from "node:zlib";
import { BufferJSON, proto } from "baileys";
import { userOf } from "../platform/addresses.js";
import { errorName } from "../process/log.js";
import type { Gateway } from "../protocol/gateway.js";
import type { Change, DeviceStore } from "../store/device_store.js";
import { TOKEN_INDEX, TOKEN_INDEX_CONTACTS_MAX } from "../store/key_store.js";
import { type HistoryContact, HistoryReader } from "./history_reader.js";
import { type MediaHosts, mediaBytes } from "./media_fetch.js";

type Notice = proto.Message.IHistorySyncNotification;

const DOWNLOAD_MS = 60_000;
const FILE_BYTES_MAX = 16 * 1024 * 1024; // Compressed.
const BYTES_MAX = 1024 * 1024 * 1024;
const CONTACTS_A_WRITE = 200;
const KINDS: unknown[] = [
  proto.HistorySync.HistorySyncType.INITIAL_BOOTSTRAP,
  proto.HistorySync.HistorySyncType.RECENT,
  proto.HistorySync.HistorySyncType.FULL,
];

/// Without these tokens the platform refuses messages to people who wrote before the linking (its
/// code 463), and without the addresses their answers have no number.
///
/// Operation: `take` runs before the notice is acknowledged to the platform, which sends it once.
/// The messages of the history are skipped unread. A history that cannot be read is left out: the
/// contacts give their tokens again when they write.
///
/// Limits: 16 MiB compressed, which are in memory, and 1 GiB in all; a minute for the download.
export class HistoryDesk {
  constructor(
    private readonly store: DeviceStore,
    private readonly gateway: Pick<Gateway, "log">,
    private readonly hosts: MediaHosts,
    /// The media host that the platform names.
    private readonly host: () => Promise<string | undefined>,
  ) {}

  async take(notice: Notice): Promise<void> {
    if (!KINDS.includes(notice.syncType)) {
      return;
    }
    let count = 0;
    try {
      let some: HistoryContact[] = [];
      for await (const contact of this.contacts(notice)) {
        count++;
        if (some.push(contact) === CONTACTS_A_WRITE) {
          await this.keep(some);
          some = [];
        }
      }
      await this.keep(some);
      this.log("info", `the phone's history named ${count} contacts`);
    } catch (error) {
      const what = `a part of the phone's history is left out after ${count} contacts`;
      this.log("warn", `${what}: ${errorName(error)}`);
    }
  }

  private async *contacts(notice: Notice): AsyncGenerator<HistoryContact> {
    const reader = new HistoryReader();
    let bytes = 0;
    for await (const piece of await this.plain(notice)) {
      bytes += piece.length;
      if (bytes > BYTES_MAX) {
        throw new Error("the history is too long");
      }
      yield* reader.push(piece);
    }
    if (!reader.isWhole) {
      throw new Error("the history is cut");
    }
  }

  private async plain(notice: Notice): Promise<AsyncIterable<Buffer>> {
    const inline = notice.initialHistBootstrapInlinePayload;
    const packed = inline?.length
      ? Buffer.from(inline)
      : await this.download(notice);
    return Readable.from([packed]).pipe(createInflate());
  }

  private async download(notice: Notice): Promise<Buffer> {
    const { mediaKey, directPath, fileSha256 } = notice;
    if (!mediaKey?.length || !directPath) {
      throw new Error("the history is nowhere");
    }
    const reference = {
      kind: "md-msg-hist" as const,
      bytes: 0,
      mime: "",
      path: directPath,
      host: await this.host(),
      key: Buffer.from(mediaKey).toString("base64"),
      sha256: fileSha256?.length ? Buffer.from(fileSha256).toString("base64") : undefined,
    };
    const within = AbortSignal.timeout(DOWNLOAD_MS);
    return mediaBytes(reference, FILE_BYTES_MAX, this.hosts, within);
  }

  /// A newer token stays.
  private async keep(contacts: readonly HistoryContact[]): Promise<void> {
    const changes: Change[] = [];
    const tokens = new Map<string, NonNullable<HistoryContact["token"]>>();
    for (const { lid, number, token } of contacts) {
      if (lid && number) {
        const [lidUser, numberUser] = [userOf(lid), userOf(number)];
        changes.push({ kind: "lid-mapping", id: numberUser, text: JSON.stringify(lidUser) });
        changes.push({
          kind: "lid-mapping",
          id: `${lidUser}_reverse`,
          text: JSON.stringify(numberUser),
        });
      }
      if (token) {
        tokens.set((lid ?? number)!, token);
      }
    }
    const known = await this.store.read("tctoken", [...tokens.keys(), TOKEN_INDEX]);
    for (const [address, { bytes, at, sentAt }] of tokens) {
      const before = parsed(known.get(address));
      if (Number(before["timestamp"] ?? 0) < at) {
        const kept = { ...before, token: bytes, timestamp: String(at) };
        const value = sentAt ? { ...kept, senderTimestamp: sentAt } : kept;
        changes.push({ kind: "tctoken", id: address, text: text(value) });
      }
    }
    if (tokens.size > 0) {
      const index = indexOf(parsed(known.get(TOKEN_INDEX))["token"]);
      const all = [...new Set([...index, ...tokens.keys()])].slice(-TOKEN_INDEX_CONTACTS_MAX);
      const token = Buffer.from(JSON.stringify(all));
      changes.push({ kind: "tctoken", id: TOKEN_INDEX, text: text({ token }) });
    }
    if (changes.length > 0) {
      await this.store.write(changes);
    }
  }

  private log(level: "info" | "warn", words: string): void {
    this.gateway.log(level, words, this.store.device);
  }
}

function parsed(kept: string | undefined): Record<string, unknown> {
  return kept === undefined ? {} : JSON.parse(kept, BufferJSON.reviver);
}

function indexOf(token: unknown): string[] {
  const list: unknown = token ? JSON.parse(Buffer.from(token as Uint8Array).toString()) : [];
  return Array.isArray(list) ? list.filter((one) => typeof one === "string") : [];
}

function text(value: unknown): string {
  return JSON.stringify(value, BufferJSON.replacer);
}
