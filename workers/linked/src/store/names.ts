// Names of the values outside the buckets.

export const CREDENTIALS = "c";
/// Present if the platform has logged the device out.
export const VOID = "void";
