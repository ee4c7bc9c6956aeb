import type { Same } from "./same.ts";

export const id = {
  title: "Pemakaian",
  lead: "Berapa yang dikirim, dan berapa yang gagal, setiap hari.",
};

export const en = {
  title: "Usage",
  lead: "How much was sent, and how much failed, each day.",
} satisfies Same<typeof id>;
