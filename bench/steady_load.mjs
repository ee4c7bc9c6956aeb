// Sends POST /v1/send at a steady rate, whatever the answers take, on a thread of its own. A
// request counts from the moment at which it was due, so that requests which were not sent
// meanwhile do not hide a delay.
import { connect } from "node:net";
import { once } from "node:events";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";

const CONNECTIONS = 64;
const TICK_MS = 1;

/** The time on all threads. */
export const now = () => performance.timeOrigin + performance.now();

export class SteadyLoad {
  #worker;

  /** `environment`: of startMerpati. `delay`: of the messages, in seconds. */
  static async start({ url, environment, perSecond, delay }) {
    const load = new SteadyLoad();
    const { BENCH_KEY: key, BENCH_FROM: from } = environment;
    const { port } = new URL(url);
    load.#worker = new Worker(new URL(import.meta.url), {
      workerData: { port, key, from: from.split(" "), perSecond, delay },
    });
    await once(load.#worker, "message");
    return load;
  }

  /** Percentiles in ms of the requests that were due in this time, once they are answered. */
  async between(from, until) {
    this.#worker.postMessage({ from, until });
    const [result] = await once(this.#worker, "message");
    return result;
  }

  stop() {
    return this.#worker.terminate();
  }
}

if (!isMainThread && workerData?.perSecond) run(workerData);

function run({ port, key, from, perSecond, delay }) {
  const requests = from.map((sender) => Buffer.from(requestOf(key, sender, delay)));
  const due = []; // When each request was due,
  const took = []; // and how long it took.
  let refused = 0;
  let answered = 0;
  let next = 0; // The first one that was not sent.
  const free = Array.from({ length: CONNECTIONS }, () => open());
  const begun = now();

  function open() {
    const socket = connect(port, "127.0.0.1");
    let text = "";
    socket.setNoDelay(true);
    socket.on("data", (piece) => {
      text += piece;
      const end = text.indexOf("\r\n\r\n");
      if (end < 0) return;
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
      if (text.length < end + 4 + length) return;
      refused += text.startsWith("HTTP/1.1 200") ? 0 : 1;
      text = "";
      took[socket.request] = now() - due[socket.request];
      answered += 1;
      free.push(socket);
      sendDue();
    });
    return socket;
  }

  function sendDue() {
    while (next < due.length && free.length > 0) {
      const socket = free.pop();
      socket.request = next;
      socket.write(requests[next % requests.length]);
      next += 1;
    }
  }

  setInterval(() => {
    const count = Math.floor(((now() - begun) / 1000) * perSecond);
    while (due.length < count) due.push(begun + (due.length * 1000) / perSecond);
    sendDue();
  }, TICK_MS);

  parentPort.on("message", ({ from: first, until }) => {
    const wait = setInterval(() => {
      if (now() < until || (answered < due.length && due[answered] < until)) return;
      clearInterval(wait);
      const times = took.filter((_, index) => due[index] >= first && due[index] < until);
      times.sort((a, b) => a - b);
      const at = (share) => times[Math.min(times.length - 1, Math.floor(times.length * share))];
      parentPort.postMessage({
        count: times.length,
        refused,
        p50: at(0.5),
        p99: at(0.99),
        max: times.at(-1),
      });
    }, 50);
  });
  parentPort.postMessage("ready");
}

function requestOf(key, sender, delay) {
  const body = JSON.stringify({
    to: "6281234567890",
    from: sender,
    Type: "text",
    message: "Halo, kode verifikasi Anda adalah 482913.",
    delay,
  });
  return (
    "POST /v1/send HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\n" +
    `Authorization: Bearer ${key}\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  );
}
