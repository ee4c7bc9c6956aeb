// What clients log goes nowhere: the tests judge what is sent. Both lines of Baileys take a logger
// of this shape.
export const silent = {
  level: "silent",
  child: () => silent,
  trace: () => undefined,
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
