// Campaigns in the browser: a gateway, an account with one device, and its operator, who is signed
// in to the web app.
import type { Browser, Page } from "playwright-core";
import { type Account, shop } from "./account.ts";
import { openBrowser, type Visitor } from "./browser.ts";
import { CampaignPage } from "./campaign_page.ts";
import { Campaigns } from "./campaigns.ts";
import { Gateway, type Settings } from "./gateway.ts";
import { freshText } from "./numbers.ts";
import { person } from "./people.ts";
import { visit } from "./web_people.ts";

interface DeskOptions {
  credits?: number;
  settings?: Settings;
}

interface Parts {
  gateway: Gateway;
  browser: Browser;
  account: Account;
  device: string;
  visitor: Visitor;
  others: Campaigns;
}

export class CampaignDesk {
  readonly gateway: Gateway;
  readonly account: Account;
  readonly visitor: Visitor;
  readonly page: Page;
  readonly campaigns: CampaignPage; // What the operator does.
  readonly others: Campaigns; // What others of the account do meanwhile, over HTTP.
  private readonly browser: Browser;
  private readonly device: string;

  private constructor(parts: Parts) {
    this.gateway = parts.gateway;
    this.account = parts.account;
    this.visitor = parts.visitor;
    this.page = parts.visitor.page;
    this.campaigns = new CampaignPage(parts.visitor);
    this.others = parts.others;
    this.browser = parts.browser;
    this.device = parts.device;
  }

  static async open({ credits = 1_000, settings = {} }: DeskOptions = {}): Promise<CampaignDesk> {
    const [gateway, browser] = await Promise.all([Gateway.create({ settings }), openBrowser()]);
    const { account, device } = await shop(gateway, { credits });
    const flags = ["--account", account.id, "--role", "operator"];
    const operator = await person(gateway, "kasir@toko.example", ...flags);
    const visitor = await visit(browser, gateway, operator);
    const others = await Campaigns.of(account);
    return new CampaignDesk({ gateway, browser, account, device, visitor, others });
  }

  /** A draft of somebody else, to these numbers and with a text of its own. */
  async draft(name: string, to: string[], more: object = {}): Promise<string> {
    const message = freshText();
    const id = await this.others.create([this.device], { name, message, ...more });
    await this.others.upload(id, ["nomor", ...to].join("\n"));
    return id;
  }

  async close(): Promise<void> {
    await this.browser.close();
    await this.gateway.close();
  }
}
