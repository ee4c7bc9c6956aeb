// Compares the account's address with the device's number.

/// Countries whose numbers the platform writes with one digit more or less than people do.
const AMBIGUOUS = ["52", "54", "55"];

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
