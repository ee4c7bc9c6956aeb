// Errors as the platform answers them, and as its webhooks report them.

/** What the platform says of a code, and the HTTP status of its answer. */
interface Row {
  status: number;
  title: string;
}

const rows: Record<number, Row> = {
  0: { status: 401, title: "AuthException" },
  1: { status: 400, title: "API Unknown" },
  2: { status: 503, title: "API Service" },
  3: { status: 500, title: "API Method" },
  4: { status: 400, title: "API Too Many Calls" },
  10: { status: 403, title: "API Permission Denied" },
  100: { status: 400, title: "Invalid parameter" },
  190: { status: 401, title: "Access token has expired" },
  200: { status: 403, title: "API Permission" },
  299: { status: 403, title: "API Permission" },
  368: { status: 403, title: "Temporarily blocked for policies violations" },
  80007: { status: 400, title: "Rate limit issues" },
  130429: { status: 429, title: "Rate limit hit" },
  130472: { status: 400, title: "User's number is part of an experiment" },
  130497: { status: 403, title: "Business account is restricted from messaging users" },
  131000: { status: 500, title: "Something went wrong" },
  131005: { status: 403, title: "Access denied" },
  131008: { status: 400, title: "Required parameter is missing" },
  131009: { status: 400, title: "Parameter value is not valid" },
  131016: { status: 500, title: "Service unavailable" },
  131021: { status: 400, title: "Recipient cannot be sender" },
  131026: { status: 400, title: "Message undeliverable" },
  131030: { status: 400, title: "Recipient phone number not in allowed list" },
  131031: { status: 403, title: "Account has been locked" },
  131037: { status: 400, title: "Display name approval is needed" },
  131042: { status: 400, title: "Business eligibility payment issue" },
  131045: { status: 500, title: "Incorrect certificate" },
  131047: { status: 400, title: "Re-engagement message" },
  131048: { status: 400, title: "Spam rate limit hit" },
  131049: { status: 400, title: "Not delivered to maintain healthy ecosystem engagement" },
  131050: { status: 400, title: "User has stopped receipt of marketing messages" },
  131051: { status: 400, title: "Unsupported message type" },
  131052: { status: 400, title: "Media download error" },
  131053: { status: 400, title: "Media upload error" },
  131056: { status: 400, title: "(Business Account, Consumer Account) pair rate limit hit" },
  131057: { status: 500, title: "Account in maintenance mode" },
  131062: { status: 400, title: "Business-scoped user id is not supported" },
  131063: { status: 400, title: "Contact information is not available" },
  131064: { status: 400, title: "Recipient does not match" },
  132000: { status: 400, title: "Template param count mismatch" },
  132001: { status: 404, title: "Template does not exist" },
  132005: { status: 400, title: "Template hydrated text too long" },
  132007: { status: 400, title: "Template format character policy violated" },
  132012: { status: 400, title: "Template parameter format mismatch" },
  132015: { status: 400, title: "Template is paused" },
  132016: { status: 400, title: "Template is disabled" },
  133005: { status: 400, title: "Two step verification PIN mismatch" },
  133010: { status: 400, title: "Phone number not registered" },
  133016: { status: 400, title: "Account register deregister rate limit exceeded" },
  136025: { status: 400, title: "Verify code error" },
};

export const codes: readonly number[] = Object.keys(rows).map(Number);

export interface Fault {
  code: number;
  details?: string;
  subcode?: number;
  status?: number; // Of HTTP, in place of the usual one of the code.
  retryAfter?: number; // Seconds.
  title?: string;
}

/** Thrown by whatever answers a request. */
export class GraphError extends Error {
  readonly fault: Fault;

  constructor(fault: Fault) {
    super(titleOf(fault));
    this.fault = fault;
  }
}

export function refuse(code: number, details?: string, subcode?: number): never {
  throw new GraphError({ code, ...(details !== undefined && { details }), subcode } as Fault);
}

function titleOf({ code, title }: Fault): string {
  return title ?? rows[code]?.title ?? "Unknown error";
}

export function statusOf({ code, status }: Fault): number {
  return status ?? rows[code]?.status ?? 400;
}

/** The body of an answer. */
export function envelope(fault: Fault): object {
  const { code, details, subcode } = fault;
  return {
    error: {
      message: `(#${code}) ${titleOf(fault)}`,
      type: "OAuthException",
      code,
      ...(subcode !== undefined && { error_subcode: subcode }),
      ...(details !== undefined && {
        error_data: { messaging_product: "whatsapp", details },
      }),
      fbtrace_id: "AxBcDeFgHiJkLmNoPqRsTuV",
    },
  };
}

/** A row of `errors` in a webhook. */
export function reported(fault: Fault): object {
  const title = titleOf(fault);
  return {
    code: fault.code,
    title,
    message: title,
    error_data: { details: fault.details ?? `${title}.` },
    href: "https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes/",
  };
}
