// Checks the version of Node.js.

const OLDEST = [20, 19] as const;

/// A sentence for the operator. Undefined: this Node.js is new enough.
export function nodeTooOld(): string | undefined {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])
    ? undefined
    : `Node ${OLDEST.join(".")} or newer is needed, this is ${process.versions.node}`;
}
