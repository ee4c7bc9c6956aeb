/** Requires one language's texts to have the same keys and parameters as another's. */
export type Same<T> = {
  [K in keyof T]: T[K] extends (...args: infer Args) => string
    ? (...args: Args) => string
    : T[K] extends string
      ? string
      : Same<T[K]>;
};
