// Phone numbers as people type them.

const COUNTRY = "62"; // Of numbers that begin with 0.

/**
 * The number in the form of the API: `0812-3456-7890`, `+62 812 3456 7890` and `0062812…` are
 * 6281234567890. Text without digits is empty.
 */
export function phoneNumber(typed: string): string {
  const digits = typed.replaceAll(/\D/g, "");
  const whole = digits.startsWith("00") ? digits.slice(2) : digits.replace(/^0/, COUNTRY);
  // "+62 (0)812": no number there begins with 0.
  return whole.startsWith(`${COUNTRY}0`) ? COUNTRY + whole.slice(COUNTRY.length + 1) : whole;
}

/** Whether text may be a phone number, or its last digits. */
export function looksLikeNumber(text: string): boolean {
  return /^\+?[\d\s().-]+$/.test(text) && text.replaceAll(/\D/g, "").length >= DIGITS_MIN;
}

const DIGITS_MIN = 4;
