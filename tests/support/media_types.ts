// The MIME types of the interface, section 4.3, copied from its text.
export const bothRevisions: readonly string[] = [
  ...["text/vcard", "text/x-vcard", "text/csv", "text/rtf", "text/richtext", "text/calendar"],
  ...["text/directory", "application/pdf", "application/vcard", "application/msword"],
  ...["application/vnd.ms-excel", "application/vnd.ms-powerpoint"],
  "application/vnd.apple.pkpass",
  "application/vnd.openxmlformats-officedocument.presentationml.presentation",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  ...["image/jpeg", "image/jpg", "image/png", "image/webp", "image/bmp", "image/tiff"],
  ...["audio/basic", "audio/L24", "audio/mp4", "audio/mpeg", "audio/ogg", "audio/aac"],
  ...["audio/vnd.rn-realaudio", "audio/ogg; codecs=opus", "audio/vnd.wave", "audio/3gpp"],
  ...["audio/3gpp2", "audio/ac3", "audio/webm", "audio/amr-nb", "audio/amr"],
];

export const revisionAOnly: readonly string[] = [
  ...["image/gif", "video/mpeg4", "video/mp4", "video/mpeg", "video/webm", "video/quicktime"],
  ...["video/3gpp", "video/3gpp2", "video/3gpp-tt", "video/H261", "video/H263"],
  ...["video/H263-1998", "video/H263-2000", "video/H264", "video/H265"],
];

export const inNoList: readonly string[] = [
  ...["text/html", "text/plain", "application/octet-stream", "application/zip"],
  ...["application/json", "application/x-msdownload", "image/svg+xml", "image/x-icon"],
  ...["audio/flac", "video/x-msvideo", "image/*", "*/*", "png", "image/png2", "image/"],
];
