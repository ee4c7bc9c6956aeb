// The names of the values that are kept outside the buckets.

export const CREDENTIALS = "c";
/// Why the platform took the credentials back.
export const VOID = "void";
