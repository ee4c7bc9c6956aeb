// The templates that the official platform keeps for a number's business account.
import { useQuery } from "@tanstack/react-query";
import type { MessageTemplate } from "../../../api/types.ts";
import { devices } from "../../../queries/devices.ts";

const FRESH = 60_000; // The platform decides about templates in minutes to days.

export function useTemplates(number: string) {
  return useQuery({
    ...devices.templates(number),
    staleTime: FRESH,
    retry: false, // Each attempt asks the platform.
  });
}

type Judged = Pick<MessageTemplate, "status" | "body_only">;

/** Whether it can be sent now: the gateway fills in variables of the body alone. */
export const canBeSent = ({ status, body_only }: Judged) =>
  status.toLowerCase() === "approved" && body_only;

/** Whether any text can be sent as this template. */
export const canStandIn = (template: Judged & Pick<MessageTemplate, "variables">) =>
  canBeSent(template) && template.variables === 1;

/** As devices name their fallback template. */
export const templateName = ({ name, language }: Pick<MessageTemplate, "name" | "language">) =>
  `${name}:${language}`;
