// libsignal tells the console what it does, with private keys.

/** Takes the console away from this process. */
export function silenceLibsignal(): void {
  for (const name of ["log", "info", "warn", "error"] as const) console[name] = () => undefined;
}
