// Where the media of a received message is, and its key: kept in the gateway's store.
import type { Change, DeviceStore } from "../store/device_store.js";

export interface MediaReference {
  kind: "image" | "video" | "audio" | "document" | "sticker";
  mime: string;
  bytes: number;
  path: string;
  host: string | undefined;
  key: string; // Base64.
  sha256: string | undefined; // Base64.
}

export function keepReference(id: string, reference: MediaReference): Change {
  return { kind: "media", id, text: JSON.stringify(reference) };
}

export async function findReference(
  store: DeviceStore,
  id: string,
): Promise<MediaReference | undefined> {
  const text = (await store.read("media", [id])).get(id);
  return text === undefined ? undefined : (JSON.parse(text) as MediaReference);
}
