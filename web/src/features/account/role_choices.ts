// The roles in an account, with what they may do.
import type { Role } from "../../api/types.ts";
import { useText } from "../../texts/index.tsx";

export function useRoleChoices() {
  const t = useText().people;
  return (Object.keys(t.roles) as Role[]).map((value) => ({
    value,
    label: `${t.roles[value]}: ${t.roleHints[value]}`,
  }));
}
