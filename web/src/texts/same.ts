/** The shape of a language's texts, held to those of another: the same keys and parameters. */
export type Same<T> = {
  [K in keyof T]: T[K] extends (...args: infer Args) => string
    ? (...args: Args) => string
    : T[K] extends string
      ? string
      : Same<T[K]>;
};
