// The server's part in linking through a passkey: passes what the phone and the client send.
import { randomBytes } from "node:crypto";
import { platform } from "../wire/jid.ts";
import { attribute, children, node, type Node } from "../wire/node.ts";
import { seconds } from "./identity.ts";
import type { Candidate } from "./pairing.ts";

interface Expected {
  tag: string;
  isRight: (sent: Node) => boolean;
  resolve: (sent: Node) => void;
}

/** One client that is being linked through a passkey. */
export class PasskeyExchange {
  readonly reference = randomBytes(16).toString("base64");
  private expected: Expected | undefined;
  private notices = 0;

  constructor(readonly candidate: Candidate) {}

  /** Asks the client for an assertion; `options` are those of WebAuthn. */
  challenge(options: object): void {
    const content = Buffer.from(JSON.stringify(options));
    this.notify("passkey_prologue_request", node("passkey_request_options", {}, content));
  }

  /** Sends the client the phone's ephemeral identity. */
  goOn(identity: Buffer): void {
    this.notify("crsc_continuation", node("primary_ephemeral_identity", {}, identity));
  }

  /** Waits for what the client sends under this tag. The wrong one is answered with an error. */
  expect(tag: string, isRight: (sent: Node) => boolean = () => true): Promise<Node> {
    return new Promise((resolve) => {
      this.expected = { tag, isRight, resolve };
    });
  }

  /** Answers a query of the client; undefined: it is not part of this. */
  take(query: Node): Node | undefined {
    const [sent] = children(query);
    const attrs = { from: platform, type: "result", id: attribute(query, "id") };
    if (query.attrs["xmlns"] !== "md" || !sent) return undefined;
    if (sent.tag === "ref") {
      return node("iq", attrs, [node("ref", {}, Buffer.from(this.reference))]);
    }
    const { expected } = this;
    if (sent.tag !== expected?.tag) return undefined;
    if (!expected.isRight(sent)) {
      const error = node("error", { code: "400", text: "bad-request" });
      return node("iq", { ...attrs, type: "error" }, [error]);
    }
    this.expected = undefined;
    setImmediate(() => expected.resolve(sent)); // After the answer.
    return node("iq", attrs);
  }

  private notify(type: string, content: Node): void {
    const id = `passkey-${++this.notices}`;
    const attrs = { from: platform, id, t: String(seconds()), type };
    this.candidate.connection.send(node("notification", attrs, [content]));
  }
}
