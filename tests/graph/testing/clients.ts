// Two unmodified public clients of the platform, for the server's own tests and for comparisons.
// One has a fixed address, so its requests are sent to another one here.
import { WhatsAppClient } from "@kapso/whatsapp-cloud-api";
import { WhatsAppAPI } from "whatsapp-api-js/middleware/node-http";
import type { Graph } from "../graph.ts";
import type { BusinessNumber } from "../number.ts";

export { GraphApiError } from "@kapso/whatsapp-cloud-api";
export { normalizeWebhook, verifySignature } from "@kapso/whatsapp-cloud-api/server";
export * from "whatsapp-api-js/messages";

const version = "v26.0";

export function kapso(graph: Graph, number: BusinessNumber): WhatsAppClient {
  return new WhatsAppClient({
    baseUrl: graph.url,
    graphVersion: version,
    accessToken: number.token,
  });
}

export function apiJs(graph: Graph, number: BusinessNumber, verifyToken = "rahasia"): WhatsAppAPI {
  const send = (url: string | URL | Request, init?: RequestInit) =>
    fetch(String(url).replace("https://graph.facebook.com", graph.url), init);
  return new WhatsAppAPI({
    token: number.token,
    appSecret: number.secret,
    webhookVerifyToken: verifyToken,
    v: version,
    ponyfill: { fetch: send as typeof fetch },
  });
}
