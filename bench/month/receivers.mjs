// The receivers of callbacks, each an origin of its own: one that answers at once, and some that
// fail for a while. All take every callback in the end, so that none may be missing.
import { createServer } from "node:http";

/**
 * What each receiver answers to an attempt; undefined: nothing, until the gateway ends the attempt.
 * Only first attempts fail at random, because the waits after the third are long.
 */
const behaviours = {
  prompt: () => 200,
  flaky: ({ isFirst }) => (isFirst && Math.random() < 0.2 ? 503 : 200),
  slow: ({ isFirst }) => (isFirst && Math.random() < 0.05 ? undefined : 200),
  outage: ({ minute }) => (minute % 10 === 9 ? 503 : 200), // Down for one minute of ten.
};

/** Resolves with {urls, stop}. `onCallback(payload)` is called for each callback taken. */
export async function startReceivers({ minuteMs, onCallback }) {
  const begun = performance.now();
  const urls = {};
  const servers = [];
  for (const [kind, status] of Object.entries(behaviours)) {
    const failed = new Set(); // Ids whose first attempt has failed.
    const server = createServer(async (request, response) => {
      let text = "";
      for await (const piece of request.setEncoding("utf8")) text += piece;
      const id = request.headers["webhook-id"];
      const minute = Math.floor((performance.now() - begun) / minuteMs);
      const answer = status({ minute, isFirst: !failed.has(id) });
      if (answer === 200) {
        failed.delete(id);
        onCallback(JSON.parse(text));
      } else {
        failed.add(id);
      }
      if (answer !== undefined) response.writeHead(answer).end();
    });
    server.keepAliveTimeout = 60_000;
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    urls[kind] = `http://127.0.0.1:${server.address().port}/status`;
    servers.push(server);
  }
  return { urls, stop: () => servers.forEach((server) => server.close().closeAllConnections()) };
}

/** A host of media files; resolves with {url, stop}. */
export async function startMediaHost() {
  const file = Buffer.concat([Buffer.from("%PDF-1.4\n"), Buffer.alloc(16 << 10, "merpati ")]);
  const server = createServer((request, response) => {
    const headers = { "content-type": "application/pdf", "content-length": file.length };
    response.writeHead(200, headers).end(request.method === "HEAD" ? undefined : file);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  return {
    url: (name) => `http://127.0.0.1:${port}/${name}.pdf`,
    stop: () => server.close().closeAllConnections(),
  };
}
