// Lets `fetch` trust another root certificate.

/** A dispatcher that trusts `ca`. Node does not export its dispatcher's class. */
export async function trusting(ca: string): Promise<unknown> {
  await fetch("data:,"); // The first use installs it.
  const installed = Reflect.get(globalThis, Symbol.for("undici.globalDispatcher.1")) as object;
  const Dispatcher = installed.constructor as new (options: object) => unknown;
  return new Dispatcher({ connect: { ca } });
}
