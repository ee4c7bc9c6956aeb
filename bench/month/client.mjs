// HTTP calls to the gateway that survive its restarts.
import { Agent, request } from "node:http";
import { setTimeout as pause } from "node:timers/promises";

const AGAIN_MS = 50;
const LOST = new Set(["ECONNRESET", "ECONNREFUSED", "EPIPE"]);

/** Calls one gateway. `port` is fixed, so that callers find it again after a restart. */
export class Client {
  #port;
  #agent = new Agent({ keepAlive: true, maxSockets: 256 });
  #streams = new Set();

  constructor(port) {
    this.#port = port;
  }

  /** One call; resolves with {status, text, json, headers}, rejects if the connection is lost. */
  call(method, path, { key, body, headers = {} } = {}) {
    const text = body === undefined ? "" : JSON.stringify(body);
    const all = { ...headers, "content-length": Buffer.byteLength(text) };
    if (text) all["content-type"] = "application/json";
    if (key) all.authorization = `Bearer ${key}`;
    return new Promise((resolve, reject) => {
      const options = { host: "127.0.0.1", port: this.#port, method, path, agent: this.#agent };
      const calling = request({ ...options, headers: all }, async (answer) => {
        try {
          let got = "";
          for await (const piece of answer.setEncoding("utf8")) got += piece;
          const { statusCode: status, headers: heads } = answer;
          resolve({ status, text: got, headers: heads, json: () => JSON.parse(got) });
        } catch (error) {
          reject(error);
        }
      });
      calling.on("error", reject);
      calling.end(text);
    });
  }

  /**
   * Repeats the call until it is answered; `repeats` of the result counts the repeats. Give it an
   * Idempotency-Key if it changes something.
   */
  async persist(method, path, options) {
    for (let repeats = 0; ; repeats += 1) {
      try {
        return { ...(await this.call(method, path, options)), repeats };
      } catch (error) {
        if (!isLoss(error)) throw error;
        await pause(AGAIN_MS); // No event tells when the gateway is back.
      }
    }
  }

  /** Reads a body without an end, such as a stream of events, until it is cut off. */
  stream(path, { key, headers = {}, onPiece }) {
    return new Promise((resolve) => {
      const all = { ...headers, authorization: `Bearer ${key}` };
      const calling = request(
        { host: "127.0.0.1", port: this.#port, path, headers: all, agent: false },
        (answer) => {
          answer.setEncoding("utf8").on("data", onPiece);
          answer.on("close", () => resolve());
        },
      );
      calling.on("error", () => resolve());
      calling.on("close", () => this.#streams.delete(calling));
      this.#streams.add(calling);
      calling.end();
    });
  }

  endStreams() {
    this.#streams.forEach((calling) => calling.destroy());
  }
}

export function isLoss(error) {
  return LOST.has(error.code) || /aborted|socket hang up/.test(String(error));
}
