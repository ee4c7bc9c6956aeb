// A logger that drops everything. Both versions of Baileys take a logger of this shape.
export const silent = {
  level: "silent",
  child: () => silent,
  trace: () => undefined,
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
