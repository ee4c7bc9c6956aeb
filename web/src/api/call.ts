// Calls operations by path, without types, if docs/openapi.yaml does not describe them yet.
import { client, type Query, queryText } from "./client.ts";

type Loose = Record<
  "GET" | "POST" | "PATCH" | "PUT" | "DELETE",
  (path: string, init: { body?: unknown }) => Promise<{ data?: unknown }>
>;

export async function call<Answer>(
  method: keyof Loose,
  path: string,
  options: { query?: Query; body?: unknown } = {},
): Promise<Answer> {
  const loose = client as unknown as Loose;
  const answer = await loose[method](path + queryText(options.query), { body: options.body });
  return answer.data as Answer;
}
