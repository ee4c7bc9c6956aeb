// Lets `fetch` trust another root certificate.

interface Dispatcher {
  dispatch(options: { origin?: unknown }, handler: unknown): boolean;
}

/** The media host that clients name by themselves where a message names none. */
const knownHost = "https://mmg.whatsapp.net";

/** A dispatcher that trusts `ca`. Node does not export its dispatcher's class. */
export async function trusting(ca: string): Promise<unknown> {
  await fetch("data:,"); // The first use installs it.
  return dispatcher(ca);
}

/** A dispatcher that trusts `ca` and finds the known media host at `origin`. */
export function redirecting(ca: string, origin: string): unknown {
  let inner: Dispatcher | undefined;
  return {
    dispatch: (options: { origin?: unknown }, handler: unknown) => {
      inner ??= dispatcher(ca);
      const known = String(options.origin) === knownHost;
      return inner.dispatch(known ? { ...options, origin } : options, handler);
    },
  };
}

function dispatcher(ca: string): Dispatcher {
  const installed = Reflect.get(globalThis, Symbol.for("undici.globalDispatcher.1")) as object;
  const Made = installed.constructor as new (options: object) => Dispatcher;
  return new Made({ connect: { ca } });
}
