// Revision B: answered with the outcome.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { shop, type Account } from "./support/account.ts";
import { expectRefused, expectSent, rows } from "./support/expect.ts";
import { Gateway } from "./support/gateway.ts";
import { freshNumber, freshText, simulated } from "./support/numbers.ts";
import { waitFor } from "./support/wait.ts";

describe("with the outcome", () => {
  let gateway: Gateway;
  let account: Account;
  let device: string;

  beforeAll(async () => {
    const settings = { "api.revision_b.wait": "2s", "scheduler.retry_first": "2s" };
    gateway = await Gateway.create({ settings });
    ({ account, device } = await shop(gateway));
  });
  afterAll(() => gateway.close());

  test("a text is answered sent, after the platform has it", async () => {
    const to = freshNumber();
    const pesan = freshText();
    const reply = await account.send({ to, from: device, pesan, Type: "text" });
    expect(reply.status).toBe(200);
    expect(reply.json).toEqual({
      success: true,
      message: "Pesan berhasil dikirim",
      data: { status: "sent", to, code: 200 },
    });
    expect(reply.headers["x-api-revision"]).toBe("B");
    expect(gateway.simulator.of(pesan)).toMatchObject([{ from: device, to, result: "sent" }]);
  });

  test("data.to comes back in the JSON type it was sent in", async () => {
    const to = Number(freshNumber());
    const reply = await account.send({ to, from: device, pesan: freshText(), Type: "text" });
    expectSent(reply);
    expect(reply.json.data.to).toBe(to);
  });

  test.each([
    ["991001", rows.failed],
    ["991002", rows.failed],
    ["991003", rows.fileType],
    ["995002", rows.failed],
  ] as const)("a recipient in %s is answered %j", async (code, row) => {
    const reply = await account.send({
      to: simulated(code),
      from: device,
      pesan: freshText(),
      Type: "text",
    });
    expectRefused(reply, row);
  });

  test("an impossible recipient fails with 500, and the platform never sees it", async () => {
    const pesan = freshText();
    expectRefused(await account.send({ to: "12", from: device, pesan, Type: "text" }), rows.failed);
    expect(gateway.simulator.of(pesan)).toEqual([]);
  });

  test("when the wait runs out the answer is pending, and the message is not lost", async () => {
    const pesan = freshText();
    const to = simulated("995000");
    const start = Date.now();
    const reply = await account.send({ to, from: device, pesan, Type: "text" });
    expect(reply.json.data).toEqual({ status: "pending", to, code: 200 });
    expect(Date.now() - start).toBeGreaterThanOrEqual(2000);
    const attempts = await gateway.simulator.attempts(pesan, 3, 40_000);
    expect(attempts.map((attempt) => attempt.result)).toEqual(["retry", "retry", "sent"]);
  });

  test("the wait begins when the delay ends", async () => {
    const start = Date.now();
    expectSent(
      await account.send({
        to: freshNumber(),
        from: device,
        pesan: freshText(),
        Type: "text",
        delay: 3,
      }),
    );
    expect(Date.now() - start).toBeGreaterThanOrEqual(2990);
  });

  test("callbackStatus and typing of a pinned key are ignored", async () => {
    const { key } = await account.createKey({ revision: "B" });
    const body = { to: freshNumber(), from: device, pesan: freshText(), Type: "text" };
    const reply = await account.send(
      { ...body, callbackStatus: "no address", typing: 17 },
      { key },
    );
    expectSent(reply);
    expect(gateway.simulator.of(body.pesan)[0]!.typing).toBe(false);
  });

  test("a client that hangs up does not cancel its message", async () => {
    const pesan = freshText();
    const body = { to: freshNumber(), from: device, pesan, Type: "text", delay: 2 };
    await expect(account.send(body, { deadline: 500 })).rejects.toThrow("not within 500 ms");
    expect((await gateway.simulator.attempt(pesan)).result).toBe("sent");
  });

  test("many waiting answers are given, each its own", async () => {
    const { account: busy, device: from } = await shop(gateway);
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        busy.send({
          to: index % 5 === 0 ? simulated("991001") : freshNumber(),
          from,
          pesan: freshText(),
          Type: "text",
        }),
      ),
    );
    replies.forEach((reply, index) => expect(reply.status).toBe(index % 5 === 0 ? 500 : 200));
  });
});

test.each([0, "500ms"])("with a wait of %j nothing unknown is called sent", async (wait) => {
  const gateway = await Gateway.create({
    settings: { "api.revision_b.wait": wait, "simulator.latency_ms": 950 },
  });
  const { account, device } = await shop(gateway);
  const to = simulated("991001");
  const body = { to, from: device, pesan: freshText(), Type: "text" };
  const headers = { "Idempotency-Key": body.pesan };
  const reply = await account.send(body, { headers });
  expect(reply.status).toBe(200);
  expect(reply.json.data).toEqual({ status: "pending", to, code: 200 });
  expect((await account.send(body, { headers })).json).toEqual(reply.json);
  await gateway.close();
});

describe("with api.revision_b.respond = accepted", () => {
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await Gateway.create({ settings: { "api.revision_b.respond": "accepted" } });
  });
  afterAll(() => gateway.close());

  test("a text is answered sent at once, whatever becomes of it", async () => {
    const { account, device } = await shop(gateway);
    const body = { from: device, Type: "text", delay: 2 };
    const start = Date.now();
    expectSent(await account.send({ ...body, to: freshNumber(), pesan: freshText() }));
    const failing = freshText();
    expectSent(await account.send({ ...body, to: simulated("991001"), pesan: failing }));
    expect(Date.now() - start).toBeLessThan(1900);
    await waitFor("the failed one", () => gateway.simulator.of(failing)[0]);
  });
});
