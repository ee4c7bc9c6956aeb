// Addresses of the platform: USER[_DOMAIN][:DEVICE]@SERVER. Loads no package.

/// What a contact's devices have in common: its number, or the digits that the platform uses
/// instead.
export function userOf(address: string): string {
  return address.split(/[@:]/)[0] ?? address;
}

/// Countries whose numbers the platform writes with one digit more or less than people do.
const AMBIGUOUS = ["52", "54", "55"];

/// Whether the account's address is of the device's number.
export function isSameNumber(address: string, number: string): boolean {
  const own = /^\d+/.exec(address)?.[0] ?? "";
  if (own === number) {
    return true;
  }
  const country = number.slice(0, 2);
  return (
    AMBIGUOUS.includes(country) && own.startsWith(country) && own.slice(-8) === number.slice(-8)
  );
}
