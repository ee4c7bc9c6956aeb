// A failure that the gateway reports (RFC 9457).

export interface FieldProblem {
  field: string;
  message: string;
}

export class Problem extends Error {
  readonly status: number; // 0: the gateway was not reached.
  readonly code: string;
  readonly fields: FieldProblem[];

  constructor(status: number, code: string, detail: string, fields: FieldProblem[] = []) {
    super(detail);
    this.status = status;
    this.code = code;
    this.fields = fields;
  }
}

export async function problemOf(response: Response): Promise<Problem> {
  try {
    const body = (await response.json()) as Record<string, unknown>;
    return new Problem(
      response.status,
      String(body["code"] ?? "unknown"),
      String(body["detail"] ?? body["message"] ?? body["title"] ?? ""),
      (body["errors"] as FieldProblem[] | undefined) ?? [],
    );
  } catch {
    return new Problem(response.status, "unknown", "");
  }
}
