// The token of a link: /app/sign-in#TOKEN signs in, /app/invitation#TOKEN invites to an account.
// Browsers do not send the part after '#', so no log contains the token.
import { useWindowEvent } from "@mantine/hooks";
import { useCallback, useState } from "react";

export interface LinkToken {
  kind: "sign-in" | "invitation";
  token: string;
}

const KINDS = ["sign-in", "invitation"] as const;

/** Removes the token from the address, so that neither the history nor the address bar shows it. */
function take(): LinkToken | undefined {
  const token = location.hash.slice(1);
  const kind = KINDS.find((one) => location.pathname.endsWith(`/${one}`));
  if (!token || !kind) return undefined;
  history.replaceState(null, "", location.pathname);
  return { kind, token };
}

/** The token with which the app was opened, or which its address got later, until it is used. */
export function useLinkToken(): [LinkToken | undefined, () => void] {
  const [token, setToken] = useState(take);
  useWindowEvent("hashchange", () => setToken((present) => take() ?? present));
  const used = useCallback(() => setToken(undefined), []);
  return [token, used];
}
