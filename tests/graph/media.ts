// Files at the platform: uploaded by a business, or sent to it.
import { createHash } from "node:crypto";
import type { BusinessNumber } from "./number.ts";
import { freshId } from "./number.ts";
import { refuse } from "./errors.ts";

export interface StoredMedia {
  id: string;
  owner: BusinessNumber;
  mime: string;
  name: string;
  content: Buffer;
  uploaded: boolean;
  expired: boolean;
  downloads: number;
}

const kilobyte = 1024;
const megabyte = 1024 * kilobyte;

/** Which types each kind takes, and how large a file may be. */
const kinds: Record<string, { types: string[]; bytesMax: number }> = {
  image: { types: ["image/jpeg", "image/png"], bytesMax: 5 * megabyte },
  sticker: { types: ["image/webp"], bytesMax: 500 * kilobyte },
  video: { types: ["video/mp4", "video/3gpp"], bytesMax: 16 * megabyte },
  audio: {
    types: ["audio/aac", "audio/amr", "audio/mpeg", "audio/mp4", "audio/ogg"],
    bytesMax: 16 * megabyte,
  },
  document: {
    types: [
      "text/plain",
      "application/pdf",
      "application/msword",
      "application/vnd.ms-excel",
      "application/vnd.ms-powerpoint",
      "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
      "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
      "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    ],
    bytesMax: 100 * megabyte,
  },
};

export class Media {
  readonly all = new Map<string, StoredMedia>();

  /** What a business uploads as a form. */
  async upload(
    owner: BusinessNumber,
    contentType: string,
    body: Buffer,
    query: URLSearchParams,
  ): Promise<object> {
    let form: FormData;
    try {
      const headers = { "content-type": contentType };
      form = await new Response(new Uint8Array(body), { headers }).formData();
    } catch {
      return refuse(100, "The body is not a form.");
    }
    const product = form.get("messaging_product") ?? query.get("messaging_product");
    if (product !== "whatsapp") refuse(100, "The parameter messaging_product is required.");
    const file = form.get("file");
    if (!file || typeof file === "string") return refuse(100, "The parameter file is required.");
    const type = form.get("type");
    const mime = plain(file.type);
    const fits = Object.values(kinds).filter(({ types }) => types.includes(mime));
    if (fits.length === 0) {
      refuse(100, `Param file must be a file of another type. Received file of type '${mime}'.`);
    }
    if (typeof type === "string" && !names(type, mime)) refuse(100, "type is not the file's.");
    const content = Buffer.from(await file.arrayBuffer());
    if (content.length === 0 || fits.every(({ bytesMax }) => content.length > bytesMax)) {
      refuse(100, "The file is empty or too large.");
    }
    const { id } = this.keep(owner, { mime: file.type, name: file.name, content }, true);
    return { id };
  }

  keep(
    owner: BusinessNumber,
    file: { mime: string; name: string; content: Buffer },
    uploaded: boolean,
  ): StoredMedia {
    const id = freshId();
    const kept = { ...file, id, owner, uploaded, expired: false, downloads: 0 };
    this.all.set(id, kept);
    return kept;
  }

  get(id: string): StoredMedia | undefined {
    return this.all.get(id);
  }

  uploads(owner: BusinessNumber): StoredMedia[] {
    return [...this.all.values()].filter((each) => each.uploaded && each.owner === owner);
  }

  descriptor({ id, mime, content }: StoredMedia, host: string): object {
    return {
      messaging_product: "whatsapp",
      url: `${host}/whatsapp_business/attachments/?mid=${id}&ext=1&hash=x`,
      mime_type: mime,
      sha256: createHash("sha256").update(content).digest("hex"),
      file_size: content.length,
      id,
    };
  }

  /** Refuses a message whose file is not this number's, has ended, or is of another kind. */
  check(owner: BusinessNumber, kind: string, id: string): void {
    const found = this.all.get(id);
    if (!found || found.owner !== owner || found.expired) {
      refuse(
        100,
        `Param ${kind}['id'] is not a valid whatsapp business account media attachment ID`,
      );
    }
    const mime = plain((found as StoredMedia).mime);
    if (!kinds[kind]?.types.includes(mime)) refuse(131053, `${mime} is not a type of ${kind}`);
  }
}

/** `type` is the file's MIME type, or its kind, as some clients have it. */
function names(type: string, mime: string): boolean {
  return plain(type) === mime || kinds[type]?.types.includes(mime) === true;
}

function plain(mime: string): string {
  return mime.split(";")[0]!.trim().toLowerCase();
}
