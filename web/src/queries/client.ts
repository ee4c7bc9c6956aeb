// How the app reads, and makes changes.
import { QueryClient } from "@tanstack/react-query";
import { Problem } from "../api/problem.ts";

export function newQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 2000,
        refetchOnWindowFocus: true,
        // A refused request would be refused again.
        retry: (failures, error) =>
          failures < 2 &&
          (!(error instanceof Problem) || error.status === 0 || error.status >= 500),
      },
      // Without a network a change fails, and says so. Else it would wait, and be made whenever
      // there is a network again: after its page was left, or as whoever has signed in since.
      mutations: { networkMode: "always" },
    },
  });
}
