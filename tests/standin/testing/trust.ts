// `fetch` with a root of our own.

/** A dispatcher that trusts `ca`, of the kind that Node has inside and does not export. */
export async function trusting(ca: string): Promise<unknown> {
  await fetch("data:,"); // The first use installs it.
  const installed = Reflect.get(globalThis, Symbol.for("undici.globalDispatcher.1")) as object;
  const Dispatcher = installed.constructor as new (options: object) => unknown;
  return new Dispatcher({ connect: { ca } });
}
