// What the official platform needs to know a number: ids, and secrets that the gateway shows to
// nobody.
import type { DeviceChange, NewDevice } from "../../../api/types.ts";

/** The connector's name, which its devices have. */
export const CLOUD = "cloud";

export interface Access {
  phone_number_id: string;
  token: string;
  waba_id: string;
  app_secret: string;
}

export const NO_ACCESS: Access = { phone_number_id: "", token: "", waba_id: "", app_secret: "" };

/** The fields that have something in them, without the blanks that come with copied texts. */
export function filled<Fields extends Partial<Access>>(access: Fields): Partial<Fields> {
  const fields = Object.entries(access)
    .map(([name, value]) => [name, value.trim()] as const)
    .filter(([, value]) => value !== "");
  return Object.fromEntries(fields) as Partial<Fields>;
}

/** Of a new device. */
export function newAccess(access: Access): NonNullable<NewDevice["cloud"]> {
  const { phone_number_id, token, ...others } = access;
  return { phone_number_id: phone_number_id.trim(), token: token.trim(), ...filled(others) };
}

/** Of a device that is there already: what is empty stays as it is. */
export const changedAccess = (access: Access): DeviceChange => ({ cloud: filled(access) });
