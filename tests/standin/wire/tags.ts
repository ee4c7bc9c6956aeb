// The bytes that announce the type of what follows.

export const tags = {
  empty: 0,
  dictionary: 236, // 236 to 239: a word of one of the four lists.
  facebookJid: 246,
  deviceJid: 247,
  list8: 248,
  list16: 249,
  jid: 250,
  hex: 251,
  bytes8: 252,
  bytes20: 253,
  bytes32: 254,
  nibbles: 255,
} as const;

/** The characters of packed texts, each in four bits. */
export const packings = [
  { tag: tags.nibbles, digits: "0123456789-." },
  { tag: tags.hex, digits: "0123456789ABCDEF" },
] as const;

export const packedMax = 127;

/** The server that the first byte of a device's address stands for. */
export const domains: Record<string, number> = {
  "s.whatsapp.net": 0,
  lid: 1,
  hosted: 128,
  "hosted.lid": 129,
};
