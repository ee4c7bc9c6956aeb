// Where devices connect: the platform, unless the gateway's settings name a stand-in for tests.
import { readFileSync } from "node:fs";
import { Agent } from "node:https";
import { createSecureContext, rootCertificates } from "node:tls";

export interface PlatformSettings {
  url: string | undefined;
  /// The root of the platform's certificates; undefined: the one that Baileys knows.
  rootKey: Buffer<ArrayBuffer> | undefined;
  /// For the media hosts, and for `url` where that is encrypted.
  agent: Agent | undefined;
  encrypted: boolean;
  /// True when the settings name a platform of their own.
  standIn: boolean;
  /// Whether the gateway knows the state and the error `restricted`.
  restricted: boolean;
}

/// Reads `config` and `features` from the answer to `hello`. Errors: throws with a reason for the
/// operator.
export function platformSettings(
  config: Record<string, unknown>,
  features: unknown = [],
): PlatformSettings {
  const url = text(config, "url");
  const rootKey = text(config, "root_key");
  const authorities = text(config, "ca_file");
  if (url !== undefined && !isAllowed(new URL(url))) {
    throw new Error("url has to begin with wss://, or name this machine");
  }
  if (rootKey !== undefined && !/^[0-9a-f]{64}$/i.test(rootKey)) {
    throw new Error("root_key has to be 64 hexadecimal digits");
  }
  const agent = authorities === undefined ? undefined : trusting(readFileSync(authorities));
  const restricted = Array.isArray(features) && features.includes("restricted");
  const encrypted = url === undefined || new URL(url).protocol === "wss:";
  return {
    url,
    rootKey: rootKey === undefined ? undefined : Buffer.from(rootKey, "hex"),
    agent,
    encrypted,
    standIn: url !== undefined,
    restricted,
  };
}

/// All connections share one context: parsing the authorities takes long, and a megabyte each time.
function trusting(authorities: Buffer): Agent {
  return new Agent({
    secureContext: createSecureContext({ ca: [...rootCertificates, authorities] }),
  });
}

/// Connections without encryption are allowed only to this machine.
function isAllowed(url: URL): boolean {
  const local = ["127.0.0.1", "[::1]"].includes(url.hostname);
  return url.protocol === "wss:" || (url.protocol === "ws:" && local);
}

function text(config: Record<string, unknown>, name: string): string | undefined {
  const value = config[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}
