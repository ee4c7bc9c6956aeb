// Receivers of callbacks with answers that no library would write: byte by byte, and cut anywhere.
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { shop, type Account } from "./support/account.ts";
import { expectAccepted } from "./support/expect.ts";
import { Gateway } from "./support/gateway.ts";
import { freshNumber, freshText } from "./support/numbers.ts";
import { waitFor } from "./support/wait.ts";

const CHUNKED = "Transfer-Encoding: chunked\r\n\r\n";

/** Answers each request on a path with these pieces, each in its own segment, then closes. */
class RawReceiver {
  readonly requests: string[] = []; // Their paths.
  private readonly server: Server;
  private readonly answers: (path: string, attempt: number) => string[];

  private constructor(answers: (path: string, attempt: number) => string[]) {
    this.answers = answers;
    this.server = createServer((socket) => void this.serve(socket));
  }

  static async open(answers: (path: string, attempt: number) => string[]): Promise<RawReceiver> {
    const receiver = new RawReceiver(answers);
    await new Promise<void>((resolve) => receiver.server.listen(0, "127.0.0.1", resolve));
    return receiver;
  }

  url(path: string): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}${path}`;
  }

  count(path: string): number {
    return this.requests.filter((one) => one === path).length;
  }

  async close(): Promise<void> {
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async serve(socket: Socket): Promise<void> {
    socket.setNoDelay(true).on("error", () => socket.destroy());
    const head = await new Promise<Buffer>((resolve) => socket.once("data", resolve));
    const path = head.toString().split(" ")[1]!;
    this.requests.push(path);
    for (const piece of this.answers(path, this.count(path))) {
      await new Promise<void>((resolve) => socket.write(piece, () => setImmediate(resolve)));
    }
    socket.end();
  }
}

const endings: Record<string, string[]> = {
  "/before-the-last-chunk": ["0\r\n"],
  "/in-a-size": ["3\r\n"],
  "/after-a-chunk": ["3\r\nabc\r\n", "0\r\n"],
  "/in-three-segments": ["0\r\n", "\r", "\n"],
  "/no-chunk": ["zz\r\n"],
};

let gateway: Gateway;
let receiver: RawReceiver;
let account: Account;
let device: string;

beforeAll(async () => {
  receiver = await RawReceiver.open((path, attempt) => [
    `HTTP/1.1 ${attempt === 1 ? "500 Broken" : "200 OK"}\r\n${CHUNKED}`,
    ...endings[path]!,
  ]);
  gateway = await Gateway.create({ settings: { "outbound.allow_http_callbacks": true } });
  ({ account, device } = await shop(gateway));
});
afterAll(async () => {
  await gateway.close(); // Fails if the process did not exit with 0.
  await receiver.close();
});

test("no ending of an answer ends the gateway: each callback is tried again", async () => {
  for (const path of Object.keys(endings)) {
    const body = { to: freshNumber(), from: device, message: freshText(), Type: "text" };
    expectAccepted(await account.send({ ...body, callbackStatus: receiver.url(path) }));
  }
  await waitFor(
    "each callback to be delivered at its second attempt",
    async () => {
      const list = await gateway.json("callback", "list", "--limit", "100");
      const delivered = list.filter((one: any) => one.state === "delivered");
      return delivered.length >= Object.keys(endings).length;
    },
    40_000,
  );
  for (const path of Object.keys(endings)) expect(receiver.count(path)).toBe(2);
});
