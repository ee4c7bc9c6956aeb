// The steps of a draft.
export const STEPS = ["audience", "message", "sending", "review"] as const;
export type Step = (typeof STEPS)[number];

export const stepAddress = (id: string, step: Step) => `/campaigns/${id}?step=${step}`;
