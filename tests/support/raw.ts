// HTTP as bytes, for requests that no client library would send.
import { connect } from "node:net";
import type { Answer } from "./contract.ts";
import { within } from "./wait.ts";

/** Sends `bytes`; resolves with everything received until the server closed. */
export function exchangeBytes(
  port: number,
  bytes: string | Buffer,
  deadline = 40_000,
): Promise<string> {
  const answered = new Promise<string>((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1" }, () => socket.write(bytes));
    let text = "";
    socket.setEncoding("utf8");
    socket.on("data", (piece: string) => (text += piece));
    // A server that refuses without reading the rest may reset the connection after its answer.
    socket.on("error", (error) => (text ? resolve(text) : reject(error)));
    socket.on("close", () => resolve(text));
  });
  return within("the server to answer and close", answered, deadline);
}

/** The answers in a stream of bytes, each with a Content-Length. */
export function parseAnswers(stream: string): Answer[] {
  const answers: Answer[] = [];
  let rest = Buffer.from(stream, "utf8");
  while (rest.length > 0) {
    const end = rest.indexOf("\r\n\r\n");
    if (end < 0) throw new Error(`not an HTTP answer: ${JSON.stringify(rest.toString())}`);
    const [line, ...fields] = rest.subarray(0, end).toString().split("\r\n");
    const headers = Object.fromEntries(
      fields.map((field) => {
        const colon = field.indexOf(":");
        return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()];
      }),
    );
    const length = Number(headers["content-length"] ?? 0);
    const body = rest.subarray(end + 4, end + 4 + length);
    answers.push({ status: Number(line!.split(" ")[1]), headers, text: body.toString() });
    rest = rest.subarray(end + 4 + length);
  }
  return answers;
}
