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

type Judged = Pick<MessageTemplate, "status">;

const isApproved = ({ status }: Judged) => status.toLowerCase() === "approved";

/** Whether a campaign can send it now: the gateway knows how to fill all that it needs. */
export const canBeSent = (template: Judged & Pick<MessageTemplate, "fillable">) =>
  isApproved(template) && template.fillable;

/** Whether any text can be sent as this template. */
export const canStandIn = (template: Judged & Pick<MessageTemplate, "body_only" | "variables">) =>
  isApproved(template) && template.body_only && template.variables === 1;

/** Whether each message has a file in its header. */
export const needsFile = ({ header_needs: needs }: Pick<MessageTemplate, "header_needs">) =>
  needs !== null && needs !== "text";

/** As devices name their fallback template. */
export const templateName = ({ name, language }: Pick<MessageTemplate, "name" | "language">) =>
  `${name}:${language}`;
