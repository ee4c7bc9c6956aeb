// The accounts' own programs: sends at a fixed rate, each with an Idempotency-Key.
import { setTimeout as pause } from "node:timers/promises";

const TICK_MS = 20;
const UNREGISTERED = "991001";
const FAILS_TWICE = "995000";

/** One message in a hundred of each kind; all others are texts with a prompt receiver. */
const kinds = [
  { upTo: 3, of: ({ media, index }) => ({ Type: "media", url: media(`brosur-${index % 50}`) }) },
  { upTo: 8, recipient: UNREGISTERED },
  { upTo: 9, recipient: FAILS_TWICE },
  { upTo: 14, of: ({ index, delayMax }) => ({ delay: 1 + (index % delayMax) }) },
  { upTo: 20, receiver: "flaky" },
  { upTo: 23, receiver: "slow" },
  { upTo: 28, receiver: "outage" },
];

/**
 * The recipient of an ordinary message, by the message's number. None ends in digits for which the
 * simulator plays something, such as a failure without an end.
 */
export const recipientOf = (number) => `62812${String(number).padStart(8, "0")}7`;

/**
 * Sends `perSecond` messages until `stop` is called, which resolves when all have been answered.
 * `shops`: [{key, devices}], which take turns.
 */
export function startSenders({ client, shops, perSecond, urls, media, books, delayMax }) {
  let index = 0;
  let running = true;
  const pending = new Set();
  const work = (async () => {
    const begun = performance.now();
    while (running) {
      const due = Math.floor(((performance.now() - begun) / 1000) * perSecond);
      while (index < due && pending.size < 2 * perSecond) {
        const sending = send(index++);
        pending.add(sending);
        sending.finally(() => pending.delete(sending));
      }
      await pause(TICK_MS);
    }
    await Promise.all(pending);
  })();

  async function send(number) {
    const { key, devices } = shops[number % shops.length];
    const kind = kinds.find(({ upTo }) => number % 100 < upTo) ?? {};
    const special = kind.of?.({ media, index: number, delayMax }) ?? {};
    const body = {
      from: devices[Math.floor(number / shops.length) % devices.length],
      to: kind.recipient ? `6281200${kind.recipient}` : recipientOf(number),
      Type: "text",
      message: `Pesanan ${number} sudah siap diambil.`,
      callbackStatus: urls[kind.receiver ?? "prompt"],
      ...special,
    };
    const at = performance.now();
    const headers = { "idempotency-key": `order-${number}` };
    const answer = await client.persist("POST", "/v1/send", { key, body, headers });
    if (answer.status !== 200) {
      books.refuse(answer);
      return;
    }
    books.answered(answer.json().data.requestId, {
      at,
      took: answer.repeats === 0 ? performance.now() - at : undefined,
      isPrompt: answer.repeats === 0 && number % 100 >= 28,
      key,
    });
  }

  return {
    stop: async () => {
      running = false;
      await work;
    },
  };
}

/** Linked devices send slowly, and only to people that the stand-in platform knows. */
export function startLinkedSenders({ client, books, shop, everyMs, url }) {
  let running = true;
  const work = (async () => {
    for (let index = 0; running; index += 1) {
      const body = {
        from: shop.devices[index % shop.devices.length],
        to: shop.friends[index % shop.friends.length],
        Type: "text",
        message: `Janji ${index} besok jam 9.`,
        callbackStatus: url,
      };
      const headers = { "idempotency-key": `linked-${index}` };
      const at = performance.now();
      const answer = await client.persist("POST", "/v1/send", { key: shop.key, body, headers });
      if (answer.status === 200) {
        books.answered(answer.json().data.requestId, { at, isPrompt: false, key: shop.key });
      } else {
        books.refuse(answer);
      }
      await pause(everyMs);
    }
  })();
  return {
    stop: async () => {
      running = false;
      await work;
    },
  };
}
