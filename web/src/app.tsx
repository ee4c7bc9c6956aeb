// The providers around the pages, and the routes.
import { Button } from "@mantine/core";
import { Notifications } from "@mantine/notifications";
import { QueryClientProvider, useQueryClient } from "@tanstack/react-query";
import { Suspense, useEffect, useRef, useState } from "react";
import { Redirect, Route, Router, Switch, useLocation } from "wouter";
import type { SessionView } from "./api/types.ts";
import { FirstPasswordPage } from "./features/sign_in/first_password.tsx";
import { InvitationPage } from "./features/sign_in/invitation.tsx";
import { LinkPage } from "./features/sign_in/link.tsx";
import { Gate, SignInPage } from "./features/sign_in/sign_in.tsx";
import { LiveProvider } from "./live/live.tsx";
import { cutAll, cutWhenLeft } from "./live/long_lists.ts";
import { newQueryClient } from "./queries/client.ts";
import { useLinkToken } from "./session/link_token.ts";
import { SessionProvider, useAccountId, useSession } from "./session/session.tsx";
import { useWhoIsThere } from "./session/who.ts";
import { Shell } from "./shell/shell.tsx";
import { SchemeProvider } from "./style/scheme.tsx";
import { LanguageProvider, useText, useWords } from "./texts/index.tsx";
import { Boundary } from "./ui/boundary.tsx";
import { lazyPage } from "./ui/lazy_page.ts";
import { PageSkeleton } from "./ui/page_skeleton.tsx";
import { ProblemNote } from "./ui/problem_note.tsx";

const Overview = lazyPage(() => import("./features/overview/overview.tsx"));
const Messages = lazyPage(() => import("./features/messages/messages.tsx"));
const Send = lazyPage(() => import("./features/send/send.tsx"));
const Campaigns = lazyPage(() => import("./features/campaigns/campaigns.tsx"));
const CampaignView = lazyPage(() => import("./features/campaigns/campaign_view.tsx"));
const Contacts = lazyPage(() => import("./features/contacts/contacts.tsx"));
const Suppressions = lazyPage(() => import("./features/suppressions/suppressions.tsx"));
const Devices = lazyPage(() => import("./features/devices/devices.tsx"));
const Callbacks = lazyPage(() => import("./features/callbacks/callbacks.tsx"));
const Keys = lazyPage(() => import("./features/keys/keys.tsx"));
const Account = lazyPage(() => import("./features/account/account.tsx"));
const Developers = lazyPage(() => import("./features/developers/developers.tsx"));
const Settings = lazyPage(() => import("./features/settings/settings.tsx"));
const Accounts = lazyPage(() => import("./features/accounts/accounts.tsx"));
const People = lazyPage(() => import("./features/people/people.tsx"));
const Usage = lazyPage(() => import("./features/usage/usage.tsx"));
const Server = lazyPage(() => import("./features/server/server.tsx"));
const Missing = lazyPage(() => import("./shell/missing.tsx"));

const queries = newQueryClient();
cutWhenLeft(queries);

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

/** Reads all again in a new language: the gateway answers some texts in the reader's language. */
function useAnswersInLanguage(): void {
  const { language } = useWords();
  const queries = useQueryClient();
  const read = useRef(language);
  useEffect(() => {
    if (read.current === language) return;
    read.current = language;
    cutAll(queries);
    void queries.invalidateQueries();
  }, [language, queries]);
}

/** Shows the app to a person with a session, and the sign-in page at the same address to others. */
function Door() {
  useAnswersInLanguage();
  const who = useWhoIsThere();
  const [link, used] = useLinkToken();
  const [asked, setAsked] = useState<string>(); // The id of the person who was asked.
  // Even if there is a session: the link may belong to another person.
  if (link?.kind === "sign-in") return <LinkPage token={link.token} onUsed={used} />;
  if (link?.kind === "invitation") return <InvitationPage token={link.token} onUsed={used} />;
  if (who.data === undefined) {
    return who.isError ? <Unknown error={who.error} onAgain={() => void who.refetch()} /> : null;
  }
  // Who came by a link, and could not come back without another one.
  const person = who.data?.person;
  if (person && !person.has_password && asked !== person.id) {
    return <FirstPasswordPage email={person.email} onDone={() => setAsked(person.id)} />;
  }
  // The key drops what is open on the page, when another person has signed in.
  return who.data ? <SignedIn key={who.data.person.id} session={who.data} /> : <SignInPage />;
}

/** Shown while the gateway does not answer, such as during a restart. It is asked again. */
function Unknown({ error, onAgain }: { error: unknown; onAgain: () => void }) {
  const t = useText();
  return (
    <Gate title={t.common.app} lead={t.common.waiting}>
      <ProblemNote error={error} />
      <Button variant="default" fullWidth mt="md" onClick={onAgain}>
        {t.common.again}
      </Button>
    </Gate>
  );
}

// Their dialogs name the account that they are about.
const OF_ALL_ACCOUNTS = ["accounts", "people", "server", "settings"];

function SignedIn({ session }: { session: SessionView }) {
  return (
    <SessionProvider session={session}>
      <Live>
        <Shell>
          <PageOfAccount />
        </Shell>
      </Live>
    </SessionProvider>
  );
}

function PageOfAccount() {
  const page = useLocation()[0].split("/")[1] ?? "";
  const account = useAccountId();
  // The key resets the boundary, so that a failure stays on its page, and closes the dialogs of
  // another account.
  const key = OF_ALL_ACCOUNTS.includes(page) ? page : `${page} ${account}`;
  return (
    <Boundary key={key}>
      <Suspense fallback={<PageSkeleton />}>
        <Pages />
      </Suspense>
    </Boundary>
  );
}

function Live({ children }: { children: React.ReactNode }) {
  return <LiveProvider account={useAccountId()}>{children}</LiveProvider>;
}

function Pages() {
  const { account, admin, can } = useSession();
  return (
    <Switch>
      <Route path="/" component={Overview} />
      <Route path="/sign-in">
        <Redirect to="/" />
      </Route>
      <Route path="/invitation">
        <Redirect to="/" />
      </Route>
      <Route path="/messages/:id?" component={Messages} />
      {account && can("send") && <Route path="/send" component={Send} />}
      {can("campaigns:read") && <Route path="/campaigns" component={Campaigns} />}
      {can("campaigns:read") && <Route path="/campaigns/:id" component={CampaignView} />}
      {can("campaigns:read") && <Route path="/contacts/:number?" component={Contacts} />}
      {can("campaigns:read") && <Route path="/suppressions" component={Suppressions} />}
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
