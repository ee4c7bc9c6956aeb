// The words by which other processes control the test server (README.md lists them).
import type { Server } from "node:http";
import { serve, text, type Actions, type Input } from "../control/server.ts";
import type { Graph } from "./graph.ts";
import type { BusinessNumber, NewNumber } from "./number.ts";
import type { Script } from "./scripts.ts";
import type { Template } from "./templates.ts";

const bodyMax = 1024 * 1024;

const actions: Actions<Graph> = {
  number: (graph, input) => {
    const { id, token, waba, digits } = graph.addNumber(input as unknown as NewNumber);
    return { phone_number_id: id, token, waba_id: waba, number: digits };
  },
  subscribe: (graph, input) => graph.subscribe(text(input, "url"), text(input, "verify_token")),
  receive: (graph, input) => {
    const content = { body: text(input, "text") };
    const from = text(input, "from");
    return { id: graph.receive(number(graph, input), { from, type: "text", content }) };
  },
  window: (graph, input) => {
    const { closed } = input;
    number(graph, input).windowClosed =
      closed === "answer" || closed === "webhook" ? closed : undefined;
  },
  script: (graph, input) => graph.scripts.add(input as Script),
  template: (graph, input) => {
    const { number: _, ...template } = input;
    graph.templates.add(number(graph, input).waba, template as unknown as Template);
  },
  taken: (graph, input) => ({
    messages: graph.taken
      .filter(({ to }) => input["to"] === undefined || to === input["to"])
      .map(({ id, from, to, type, text: words }) => ({ id, from, to, type, text: words })),
  }),
};

export function serveControl(graph: Graph): Promise<Server> {
  return serve(graph, actions, bodyMax);
}

function number(graph: Graph, input: Input): BusinessNumber {
  return graph.numberOf(text(input, "number"));
}
