// Operations on devices, what waits for them, and how they are paired.
import { answerOf, type Cancel, client, given, ifMatch, taggedAnswerOf } from "./client.ts";
import type { DeviceChange, NewDevice, PairingWish, QueryOf, QueryOfAccount } from "./types.ts";

const byNumber = (number: string) => ({ params: { path: { number } } });

/** The ways by which a device can reach its platform. */
export const listConnectors = (account: string, { signal }: Cancel = {}) =>
  answerOf(client.GET("/v1/connectors", { params: { query: given({ account }) }, signal }));

export const listDevices = (query: QueryOfAccount<"/v1/devices">, { signal }: Cancel = {}) =>
  answerOf(client.GET("/v1/devices", { params: { query: given(query) }, signal }));

export const readDevice = (number: string, { signal }: Cancel = {}) =>
  taggedAnswerOf(client.GET("/v1/devices/{number}", { ...byNumber(number), signal }));

export const addDevice = (body: NewDevice) => answerOf(client.POST("/v1/devices", { body }));

export const changeDevice = (number: string, tag: string, body: DeviceChange) =>
  taggedAnswerOf(
    client.PATCH("/v1/devices/{number}", {
      params: { path: { number }, ...ifMatch(tag) },
      body,
    }),
  );

/** The templates of the device's business account at the official platform, which is asked. */
export const listTemplates = (
  number: string,
  query: QueryOf<"/v1/devices/{number}/templates">,
  { signal }: Cancel = {},
) =>
  answerOf(
    client.GET("/v1/devices/{number}/templates", {
      params: { path: { number }, query: given(query) },
      signal,
    }),
  );

export const removeDevice = (number: string) =>
  answerOf(client.DELETE("/v1/devices/{number}", byNumber(number)));

export const DEVICE_ACTIONS = {
  connect: (number: string) =>
    answerOf(client.POST("/v1/devices/{number}/connect", byNumber(number))),
  disconnect: (number: string) =>
    answerOf(client.POST("/v1/devices/{number}/disconnect", byNumber(number))),
  pause: (number: string) => answerOf(client.POST("/v1/devices/{number}/pause", byNumber(number))),
  resume: (number: string) =>
    answerOf(client.POST("/v1/devices/{number}/resume", byNumber(number))),
};

export type DeviceAction = keyof typeof DEVICE_ACTIONS;

export const pairDevice = (number: string, body: PairingWish) =>
  answerOf(client.POST("/v1/devices/{number}/pair", { ...byNumber(number), body }));

/** The QR code of a pairing, which the gateway draws, as a URL for an <img>. */
export async function readQrCode(number: string, { signal }: Cancel = {}): Promise<string> {
  const drawn = await answerOf(
    client.GET("/v1/devices/{number}/qr", {
      ...byNumber(number),
      headers: { Accept: "image/svg+xml" },
      parseAs: "text",
      signal,
    }),
  );
  return `data:image/svg+xml,${encodeURIComponent(String(drawn))}`;
}

export const readQueue = (number: string, { signal }: Cancel = {}) =>
  answerOf(client.GET("/v1/devices/{number}/queue", { ...byNumber(number), signal }));

/** Cancels all messages that wait now; a call has a limit, so it may need several. */
export async function clearQueue(number: string): Promise<number> {
  let cancelled = 0;
  let until: string | undefined;
  for (;;) {
    const cleared = await answerOf(
      client.DELETE("/v1/devices/{number}/queue", {
        params: { path: { number }, query: until ? { accepted_until: until } : {} },
      }),
    );
    cancelled += cleared.cancelled;
    until = cleared.accepted_until;
    if (cleared.complete) return cancelled;
  }
}

export const readPairing = (number: string, { signal }: Cancel = {}) =>
  answerOf(client.GET("/v1/devices/{number}/pairing", { ...byNumber(number), signal }));

export const answerPairing = (number: string, answer: string) =>
  answerOf(
    client.POST("/v1/devices/{number}/pairing/answer", { ...byNumber(number), body: { answer } }),
  );
