// Silences standard output, because libsignal prints whole sessions with private keys by console.*.

/// Replaces every function of `console`, and writing to standard output, by functions that do
/// nothing. Standard error stays for process/exit.ts. Call it before any package is imported.
export function silenceConsole(): void {
  const names = Object.keys(console) as (keyof Console)[];
  for (const name of names) {
    if (typeof console[name] === "function" && name !== "Console") {
      Object.defineProperty(console, name, { value: () => {}, writable: false });
    }
  }
  process.stdout.write = ((_chunk: unknown, encoding?: unknown, done?: unknown) => {
    const after = typeof encoding === "function" ? encoding : done;
    if (typeof after === "function") {
      process.nextTick(after as () => void);
    }
    return true;
  }) as typeof process.stdout.write;
}
