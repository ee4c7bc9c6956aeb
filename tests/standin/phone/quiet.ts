// libsignal logs to the console, private keys included.

/** Silences the console of this process. */
export function silenceLibsignal(): void {
  for (const name of ["log", "info", "warn", "error"] as const) console[name] = () => undefined;
}
