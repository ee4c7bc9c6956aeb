// An unmodified client that keeps its state in a folder, as most gateways built on Baileys do.
import { fileURLToPath } from "node:url";
import { useMultiFileAuthState } from "baileys";
import type { StandIn } from "./stand_in.js";

interface Client {
  qr(): Promise<string>;
  open(): Promise<void>;
  linked(): Promise<void>;
  text(number: string, text: string): Promise<string>;
  message(text: string): Promise<unknown>;
  end(): Promise<void>;
}

const source = fileURLToPath(
  new URL("../../../../tests/standin/testing/client.ts", import.meta.url),
);

/// Runs `work` with a client that is online; afterwards its folder has all of its state.
export async function withFolder(
  standIn: StandIn,
  folder: string,
  work: (client: Client) => Promise<void>,
): Promise<void> {
  const module = (await import(/* @vite-ignore */ source)) as {
    Client: new (standIn: StandIn, state: unknown) => Client;
  };
  const { state, saveCreds } = await useMultiFileAuthState(folder);
  const client = new module.Client(standIn, state);
  try {
    await work(client);
  } finally {
    await client.end();
    await saveCreds();
  }
}
