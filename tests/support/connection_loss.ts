// How a request fails when its server dies.

export function isConnectionLoss(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code ?? "";
  const lost = ["ECONNRESET", "ECONNREFUSED", "EPIPE"].includes(code);
  return lost || /aborted|socket hang up/.test(String(error));
}
