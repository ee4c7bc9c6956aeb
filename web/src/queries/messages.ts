// Messages, and how each of them went.
import { listMessages, type MessageQuery, readMessage, readTimeline } from "../api/messages.ts";
import type { Message } from "../api/types.ts";
import { answer, type Listing } from "./query.ts";

const ROWS = 50;
const LATEST = 8;

/** More held messages are not counted. */
export const HELD_MAX = 100;

export const messages = {
  list: (query: MessageQuery): Listing<Message> => ({
    queryKey: ["messages", query],
    fetchPage: (cursor, cancel) => listMessages({ ...query, limit: ROWS, cursor }, cancel),
  }),
  latest: (account: string) =>
    answer(["messages", { account }, "latest"], (cancel) =>
      listMessages({ account, limit: LATEST }, cancel),
    ),
  held: (account: string) =>
    answer(["messages", { account, state: "held" }, "first"], (cancel) =>
      listMessages({ account, state: "held", limit: HELD_MAX }, cancel),
    ),
  one: (id: string, body = false) =>
    answer(["message", id, body], (cancel) => readMessage(id, body, cancel)),
  /** Read again whenever the message is at another point. */
  timeline: ({ id, state, attempts }: Pick<Message, "id" | "state" | "attempts">) =>
    answer(["timeline", id, state, attempts], (cancel) => readTimeline(id, cancel)),
};
