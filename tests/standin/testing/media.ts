// A message of each kind of media: the client's input, and the content that a phone should show.
import type { AnyMessageContent } from "baileys";

interface Told {
  mimetype: string;
  caption?: string;
  fileName?: string;
  voice?: boolean;
}

const told = {
  image: { mimetype: "image/jpeg", caption: "gambar" },
  video: { mimetype: "video/mp4", caption: "rekaman" },
  audio: { mimetype: "audio/ogg; codecs=opus", voice: true },
  document: { mimetype: "application/pdf", caption: "tagihan", fileName: "tagihan.pdf" },
  sticker: { mimetype: "image/webp" },
} satisfies Record<string, Told>;

/** Given here, so that clients do not compute thumbnails and lengths. */
const jpegThumbnail = "";
const seconds = 3;

export const media: Record<
  keyof typeof told,
  { content: (data: Buffer) => AnyMessageContent; told: Told }
> = {
  image: {
    content: (image) => ({ image, ...told.image, jpegThumbnail }),
    told: told.image,
  },
  video: {
    content: (video) => ({ video, ...told.video, jpegThumbnail }),
    told: told.video,
  },
  audio: {
    content: (audio) => ({ audio, mimetype: told.audio.mimetype, ptt: true, seconds }),
    told: told.audio,
  },
  document: {
    content: (document) => ({ document, ...told.document }),
    told: told.document,
  },
  sticker: {
    content: (sticker) => ({ sticker, ...told.sticker }),
    told: told.sticker,
  },
};
