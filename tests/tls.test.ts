// The gateway with its own certificate.
import { connect } from "node:tls";
import { afterAll, beforeAll, expect, test } from "vitest";
import { shop, type Account } from "./support/account.ts";
import { certificates } from "./support/certificates.ts";
import { expectSent } from "./support/expect.ts";
import { Gateway } from "./support/gateway.ts";
import { exchange } from "./support/http.ts";
import { freshNumber, freshText } from "./support/numbers.ts";

const files = certificates();
let gateway: Gateway;
let account: Account;
let device: string;

beforeAll(async () => {
  gateway = await Gateway.create({
    settings: {
      "http.tls.certificate": files.certificateFile,
      "http.tls.key": files.keyFile,
    },
    ca: files.ca,
  });
  ({ account, device } = await shop(gateway));
});
afterAll(() => gateway.close());

test("a text is sent over HTTPS", async () => {
  expectSent(
    await account.send({ to: freshNumber(), from: device, pesan: freshText(), Type: "text" }),
  );
});

test("plain HTTP on the same port is no answer", async () => {
  const url = `http://127.0.0.1:${gateway.port}/healthz`;
  await expect(exchange({ method: "GET", url })).rejects.toThrow();
});

test.each(["TLSv1", "TLSv1.1"] as const)("%s is refused", async (version) => {
  const failed = new Promise<Error>((resolve, reject) => {
    const socket = connect({
      host: "127.0.0.1",
      port: gateway.port,
      ca: files.ca,
      ciphers: "DEFAULT:@SECLEVEL=0",
      minVersion: version,
      maxVersion: version,
    });
    socket.on("error", resolve);
    socket.on("secureConnect", () => reject(new Error("it was let in")));
  });
  expect(await failed).toBeInstanceOf(Error);
});

test.each(["TLSv1.2", "TLSv1.3"] as const)("%s is spoken", async (version) => {
  const protocol = await new Promise((resolve, reject) => {
    const socket = connect({
      host: "127.0.0.1",
      port: gateway.port,
      ca: files.ca,
      minVersion: version,
      maxVersion: version,
    });
    socket.on("error", reject);
    socket.on("secureConnect", () => {
      resolve(socket.getProtocol());
      socket.destroy();
    });
  });
  expect(protocol).toBe(version);
});
