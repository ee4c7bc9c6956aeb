// Phone numbers as people type them.

const COUNTRY = "62"; // Of numbers that begin with 0.

/**
 * The number in the form of the API: `0812-3456-7890`, `+62 812 3456 7890` and `0062812…` are
 * 6281234567890. Text without digits is empty.
 */
export function phoneNumber(typed: string): string {
  const digits = typed.replaceAll(/\D/g, "");
  if (digits.startsWith("00")) return digits.slice(2);
  return digits.startsWith("0") ? COUNTRY + digits.slice(1) : digits;
}

/** Whether text may be a phone number, or its last digits. */
export function looksLikeNumber(text: string): boolean {
  return /^\+?[\d\s().-]+$/.test(text) && text.replaceAll(/\D/g, "").length >= DIGITS_MIN;
}

const DIGITS_MIN = 4;
