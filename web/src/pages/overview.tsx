// How the account is doing, and on the first visits what to do next.
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useLocation } from "wouter";
import {
  listCallbacks,
  listDevices,
  listKeys,
  listMessages,
  readAccount,
  readUsage,
} from "../api/operations.ts";
import { usePollInterval } from "../live/live.tsx";
import { useAccountId, useSession } from "../session/session.tsx";
import { useText, useWords } from "../texts/index.tsx";
import { DataTable } from "../ui/data_table.tsx";
import { MessageState } from "../ui/message_state.tsx";
import { Empty, Mono, Note } from "../ui/notes.tsx";
import { Page, Section } from "../ui/page.tsx";
import { Ago } from "../ui/time.tsx";
import { Checklist } from "./checklist.tsx";
import classes from "./overview.module.css";
import { rangeOf } from "./usage_days.ts";

export default function Overview() {
  const { account } = useSession();
  return account ? <AccountOverview key={account.id} /> : <NoAccount />;
}

function NoAccount() {
  const t = useText().overview;
  const { admin } = useSession();
  return (
    <Page title={t.title}>
      <Empty icon="accounts" title={t.noAccount} text={t.noAccountText}>
        {admin && (
          <Button component={Link} href="/accounts">
            {t.noAccountButton}
          </Button>
        )}
      </Empty>
    </Page>
  );
}

/** What the overview and its checklist stand on. */
export function useOverview() {
  const account = useAccountId();
  const { can } = useSession();
  const refetchInterval = usePollInterval();
  const messages = useQuery({
    queryKey: ["messages", "overview", account],
    queryFn: () => listMessages({ account, limit: 8 }),
    refetchInterval,
  });
  const devices = useQuery({
    queryKey: ["devices", account],
    queryFn: () => listDevices(account),
    refetchInterval,
  });
  const delivered = useQuery({
    queryKey: ["callbacks", "delivered", account],
    queryFn: () => listCallbacks({ account, state: "delivered", limit: 1 }),
    refetchInterval: (query) => (query.state.data?.items.length ? false : refetchInterval),
  });
  const exhausted = useQuery({
    queryKey: ["callbacks", "exhausted", account],
    queryFn: () => listCallbacks({ account, state: "exhausted", limit: 1 }),
  });
  const keys = useQuery({
    queryKey: ["keys", account],
    queryFn: () => listKeys(account),
    enabled: can("account:manage"),
  });
  const range = rangeOf(1, Date.now());
  const today = useQuery({
    queryKey: ["usage", account, "today", range.since],
    queryFn: () => readUsage({ account, by: "day", ...range }),
    refetchInterval,
  });
  const own = useQuery({ queryKey: ["account", account], queryFn: () => readAccount(account) });
  return { account: own, today, messages, devices, delivered, exhausted, keys };
}

type Overviewed = ReturnType<typeof useOverview>;

function AccountOverview() {
  const t = useText();
  const [, go] = useLocation();
  const shown = useOverview();
  const { account } = useSession();
  return (
    <Page title={t.overview.title} lead={account?.name}>
      <Banners shown={shown} />
      <Checklist shown={shown} />
      <Figures shown={shown} />
      {shown.messages.data?.items.length !== 0 && (
        <Section
          title={t.overview.recent}
          actions={
            <Button component={Link} href="/messages" variant="subtle" color="gray" size="xs">
              {t.overview.allMessages}
            </Button>
          }
        >
          <DataTable
            label={t.overview.recent}
            rows={shown.messages.data?.items}
            rowKey={(one) => one.id}
            error={shown.messages.error}
            onOpen={(one) => go(`/messages/${one.id}`)}
            empty={null}
            columns={[
              {
                key: "when",
                head: t.messages.when,
                narrow: true,
                cell: (one) => <Ago time={one.accepted_at} />,
              },
              {
                key: "to",
                head: t.messages.to,
                cell: (one) => (
                  <Link href={`/messages/${one.id}`}>
                    <Mono>{one.to}</Mono>
                  </Link>
                ),
              },
              {
                key: "from",
                head: t.messages.from,
                narrow: true,
                cell: (one) => <Mono>{one.from}</Mono>,
              },
              {
                key: "state",
                head: t.messages.state,
                narrow: true,
                cell: (one) => <MessageState state={one.state} />,
              },
            ]}
          />
        </Section>
      )}
    </Page>
  );
}

const SOON = 14 * 86_400_000;

/** Only what is true just now, and what somebody should do something about. */
function Banners({ shown }: { shown: Overviewed }) {
  const { t, format } = useWords();
  const account = shown.account.data;
  const left = account?.expires_at ? new Date(account.expires_at).getTime() - Date.now() : SOON;
  const down = (shown.devices.data?.items ?? []).filter((one) =>
    ["disconnected", "logged_out", "banned", "replaced"].includes(one.state),
  );
  const notes: [string, string][] = [];
  if (left <= 0) notes.push([t.overview.expired, "/account"]);
  else if (left < SOON && account?.expires_at) {
    notes.push([t.overview.expiresSoon(format.dateTime(account.expires_at)), "/account"]);
  }
  if (account?.credit === 0) notes.push([t.overview.creditOut, "/account"]);
  for (const one of down.slice(0, 3)) {
    notes.push([t.overview.deviceDown(one.number), `/devices/${one.number}`]);
  }
  if (shown.exhausted.data?.items.length) {
    notes.push([t.overview.callbacksFail, "/callbacks?state=exhausted"]);
  }
  return (
    <div className={classes.banners}>
      {notes.map(([text, href]) => (
        <Note key={text} href={href}>
          {text}
        </Note>
      ))}
    </div>
  );
}

function Figures({ shown }: { shown: Overviewed }) {
  const { t, format } = useWords();
  const devices = shown.devices.data?.items;
  const up = devices?.filter((one) => one.state === "connected").length ?? 0;
  const today = shown.today.data?.items[0] ?? (shown.today.data && { sent: 0, failed: 0 });
  const credit = shown.account.data?.credit;
  return (
    <dl className={classes.figures}>
      <div>
        <dt>{t.overview.sentToday}</dt>
        <dd>{today ? format.number(today.sent) : "…"}</dd>
      </div>
      <div>
        <dt>{t.overview.failedToday}</dt>
        <dd>{today ? format.number(today.failed) : "…"}</dd>
      </div>
      <div>
        <dt>{t.overview.credit}</dt>
        <dd>
          {credit === undefined && "…"}
          {credit === null && <span className={classes.words}>{t.common.unlimited}</span>}
          {typeof credit === "number" && format.number(credit)}
        </dd>
      </div>
      <div>
        <dt>{t.overview.devicesUp}</dt>
        <dd>
          {devices ? t.overview.ofDevices(format.number(up), format.number(devices.length)) : "…"}
        </dd>
      </div>
    </dl>
  );
}
