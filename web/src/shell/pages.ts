// The pages that a person may open, in the order of the navigation.
import { useSession } from "../session/session.tsx";
import { useText } from "../texts/index.tsx";
import type { IconName } from "../ui/icon.tsx";

export interface PageLink {
  href: string;
  name: string;
  icon: IconName;
}

export interface PageGroup {
  title: string; // Empty: no title.
  pages: PageLink[];
}

export function usePageGroups(): PageGroup[] {
  const t = useText().shell;
  const { admin, can, account } = useSession();
  const groups: PageGroup[] = [];
  if (account) {
    const send: PageLink[] = can("send") ? [{ href: "/send", name: t.send, icon: "send" }] : [];
    const campaigns: PageLink[] = can("campaigns:read")
      ? [
          { href: "/campaigns", name: t.campaigns, icon: "campaigns" },
          { href: "/contacts", name: t.contacts, icon: "contacts" },
          { href: "/suppressions", name: t.suppressions, icon: "suppressions" },
        ]
      : [];
    groups.push({
      title: "",
      pages: [
        { href: "/", name: t.overview, icon: "overview" },
        ...send,
        { href: "/messages", name: t.messages, icon: "messages" },
        ...campaigns,
        { href: "/devices", name: t.devices, icon: "devices" },
        { href: "/callbacks", name: t.callbacks, icon: "callbacks" },
        { href: "/developers", name: t.developers, icon: "developers" },
      ],
    });
    const usage: PageLink = { href: "/usage", name: t.usage, icon: "usage" };
    const keys: PageLink = { href: "/keys", name: t.keys, icon: "keys" };
    const own: PageLink = { href: "/account", name: t.account, icon: "account" };
    groups.push({
      title: t.groupAccount,
      pages: can("account:manage") ? [keys, usage, own] : [usage, own],
    });
  }
  if (admin) {
    groups.push({
      title: t.groupServer,
      pages: [
        { href: "/accounts", name: t.accounts, icon: "accounts" },
        { href: "/people", name: t.people, icon: "people" },
        { href: "/server", name: t.server, icon: "server" },
      ],
    });
  }
  return groups;
}
