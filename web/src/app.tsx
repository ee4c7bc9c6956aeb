// The providers around the pages, and the routes.
import { Notifications } from "@mantine/notifications";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { Suspense } from "react";
import { Redirect, Route, Router, Switch, useLocation } from "wouter";
import { Problem } from "./api/problem.ts";
import type { SessionView } from "./api/types.ts";
import { LiveProvider } from "./live/live.tsx";
import { LinkPage } from "./pages/link.tsx";
import { SignInPage } from "./pages/sign_in.tsx";
import { useLinkToken } from "./session/link_token.ts";
import { SessionProvider, useAccountId, useSession, useWhoIsThere } from "./session/session.tsx";
import { Shell } from "./shell/shell.tsx";
import { SchemeProvider } from "./style/scheme.tsx";
import { LanguageProvider } from "./texts/index.tsx";
import { Boundary } from "./ui/boundary.tsx";
import { lazyPage } from "./ui/lazy_page.ts";
import { PageSkeleton } from "./ui/page_skeleton.tsx";
import { ProblemNote } from "./ui/problem_note.tsx";

const Overview = lazyPage(() => import("./pages/overview.tsx"));
const Messages = lazyPage(() => import("./pages/messages.tsx"));
const Devices = lazyPage(() => import("./pages/devices.tsx"));
const Callbacks = lazyPage(() => import("./pages/callbacks.tsx"));
const Keys = lazyPage(() => import("./pages/keys.tsx"));
const Account = lazyPage(() => import("./pages/account.tsx"));
const Developers = lazyPage(() => import("./pages/developers.tsx"));
const Settings = lazyPage(() => import("./pages/settings.tsx"));
const Accounts = lazyPage(() => import("./pages/accounts.tsx"));
const People = lazyPage(() => import("./pages/people.tsx"));
const Usage = lazyPage(() => import("./pages/usage.tsx"));
const Server = lazyPage(() => import("./pages/server.tsx"));
const Missing = lazyPage(() => import("./pages/missing.tsx"));

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 2000,
      refetchOnWindowFocus: true,
      // A refused request would be refused again.
      retry: (failures, error) =>
        failures < 2 && (!(error instanceof Problem) || error.status === 0 || error.status >= 500),
    },
  },
});

export function App() {
  return (
    <LanguageProvider>
      <SchemeProvider>
        <QueryClientProvider client={queries}>
          <Notifications position="top-center" autoClose={3000} />
          <Router base="/app">
            <Door />
          </Router>
        </QueryClientProvider>
      </SchemeProvider>
    </LanguageProvider>
  );
}

/** Shows the app to a person with a session, and the sign-in page at the same address to others. */
function Door() {
  const who = useWhoIsThere();
  const [token, used] = useLinkToken();
  // Even if there is a session: the link may belong to another person.
  if (token) return <LinkPage token={token} onUsed={used} />;
  if (who.isError) return <ProblemNote error={who.error} />;
  if (who.isPending) return null;
  return who.data ? <SignedIn session={who.data} /> : <SignInPage />;
}

function SignedIn({ session }: { session: SessionView }) {
  const [location] = useLocation();
  return (
    <SessionProvider session={session}>
      <Live>
        <Shell>
          {/* The key resets the boundary, so that a failure stays on its page. */}
          <Boundary key={location.split("/")[1]}>
            <Suspense fallback={<PageSkeleton />}>
              <Pages />
            </Suspense>
          </Boundary>
        </Shell>
      </Live>
    </SessionProvider>
  );
}

function Live({ children }: { children: React.ReactNode }) {
  return <LiveProvider account={useAccountId()}>{children}</LiveProvider>;
}

function Pages() {
  const { admin, can } = useSession();
  return (
    <Switch>
      <Route path="/" component={Overview} />
      <Route path="/sign-in">
        <Redirect to="/" />
      </Route>
      <Route path="/messages/:id?" component={Messages} />
      <Route path="/devices/:number?" component={Devices} />
      <Route path="/callbacks/:id?" component={Callbacks} />
      {can("account:manage") && <Route path="/keys" component={Keys} />}
      <Route path="/account" component={Account} />
      <Route path="/usage" component={Usage} />
      <Route path="/developers" component={Developers} />
      <Route path="/settings" component={Settings} />
      {admin && <Route path="/accounts" component={Accounts} />}
      {admin && <Route path="/people" component={People} />}
      {admin && <Route path="/server" component={Server} />}
      <Route component={Missing} />
    </Switch>
  );
}
