// The fields of a number's access to the official platform.
import { PasswordInput, TextInput } from "@mantine/core";
import { useText } from "../../../texts/index.tsx";
import type { ProblemOf } from "../../../ui/field_problems.ts";
import type { Access } from "./access.ts";

interface AccessFieldsProps {
  access: Access;
  onChange: (access: Access) => void;
  problemOf: ProblemOf;
  isNew?: boolean; // The number has none yet. Else each may be replaced, and none has to be.
}

export function AccessFields({ access, onChange, problemOf, isNew = false }: AccessFieldsProps) {
  const t = useText().cloud;
  const set = (part: Partial<Access>) => onChange({ ...access, ...part });
  const secret = {
    autoComplete: "off",
    spellCheck: false,
    visibilityToggleButtonProps: { "aria-label": t.show, tabIndex: 0 },
  };
  return (
    <>
      {isNew && (
        <TextInput
          label={t.phoneNumberId}
          description={t.phoneNumberIdHint}
          error={problemOf("cloud.phone_number_id")}
          inputMode="numeric"
          required
          maxLength={32}
          value={access.phone_number_id}
          onChange={(event) => set({ phone_number_id: event.currentTarget.value })}
        />
      )}
      <PasswordInput
        {...secret}
        label={t.token}
        description={isNew ? t.tokenHint : t.unchanged}
        error={problemOf("cloud.token")}
        required={isNew}
        maxLength={2048}
        value={access.token}
        onChange={(event) => set({ token: event.currentTarget.value })}
      />
      <TextInput
        label={t.businessId}
        description={isNew ? t.businessIdHint : t.unchanged}
        error={problemOf("cloud.waba_id")}
        inputMode="numeric"
        maxLength={32}
        value={access.waba_id}
        onChange={(event) => set({ waba_id: event.currentTarget.value })}
      />
      <PasswordInput
        {...secret}
        label={t.appSecret}
        description={isNew ? t.appSecretHint : t.unchanged}
        error={problemOf("cloud.app_secret")}
        maxLength={2048}
        value={access.app_secret}
        onChange={(event) => set({ app_secret: event.currentTarget.value })}
      />
    </>
  );
}
