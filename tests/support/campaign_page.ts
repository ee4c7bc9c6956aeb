// The pages of campaigns, as a person uses them.
import type { Page } from "playwright-core";
import type { Visitor } from "./browser.ts";

export class CampaignPage {
  readonly page: Page;
  private readonly visitor: Visitor;

  constructor(visitor: Visitor) {
    this.visitor = visitor;
    this.page = visitor.page;
  }

  button(name: string) {
    return this.page.getByRole("button", { name, exact: true });
  }

  field(name: string) {
    return this.page.getByLabel(name, { exact: true });
  }

  /** Waits until a figure has this value. */
  async shows(name: string, value: number, timeout = 60_000): Promise<void> {
    const title = this.page.getByText(name, { exact: true });
    const figure = this.page.locator("dl > div").filter({ has: title }).locator("dd");
    const text = value.toLocaleString("en-GB");
    await figure.getByText(text, { exact: true }).first().waitFor({ timeout });
  }

  /** Opens a step of a draft. */
  async step(name: string): Promise<void> {
    const steps = this.page.getByRole("navigation", { name: "Steps" });
    await steps.getByRole("link", { name }).click();
  }

  saved(): Promise<void> {
    return this.page.getByText("All is saved").waitFor();
  }

  /** Creates a draft; answers its id. */
  async create(name: string, purpose = "Marketing"): Promise<string> {
    await this.visitor.goto("/campaigns");
    await this.button("Create a campaign").first().click();
    const dialog = this.page.getByRole("dialog", { name: "Create a campaign" });
    await dialog.getByLabel("Name", { exact: true }).fill(name);
    await dialog.getByText(purpose, { exact: true }).click();
    await dialog.getByRole("button", { name: "Create a campaign" }).click();
    await this.page.getByRole("heading", { level: 1, name }).waitFor();
    return this.page.url().split("/").at(-1) as string;
  }

  async upload(csv: string | Buffer, name = "pelanggan.csv"): Promise<void> {
    const file = { name, mimeType: "text/csv", buffer: Buffer.from(csv) };
    await this.page.locator("input[type=file]").setInputFiles(file);
    await this.button("Upload").click();
  }

  /** Starts a draft from its last step; `action` is the button's name. */
  async start(action = "Start now"): Promise<void> {
    await this.button(action).click();
    const dialog = this.page.getByRole("dialog", { name: "Start the campaign" });
    await dialog.getByRole("button", { name: action }).click();
    await dialog.waitFor({ state: "hidden" });
  }

  /** Empty: as fast as the devices. */
  async setPace(perMinute: string): Promise<void> {
    await this.button("Pace and devices").click();
    const dialog = this.page.getByRole("dialog", { name: "Pace and devices" });
    await dialog.getByLabel("At most a minute").fill(perMinute);
    await dialog.getByRole("button", { name: "Change", exact: true }).click();
    await dialog.waitFor({ state: "hidden" });
  }

  async further(action: string): Promise<void> {
    await this.button("Further actions").click();
    await this.page.getByRole("menuitem", { name: action }).click();
  }

  /** The lines of a report. */
  report(name: string): Promise<string[]> {
    return this.downloaded(async () => {
      await this.button("Download the report").click();
      await this.page.getByRole("menuitem", { name }).click();
    });
  }

  /** The lines of the file that a click downloads. */
  async downloaded(click: () => Promise<void>): Promise<string[]> {
    const [download] = await Promise.all([this.page.waitForEvent("download"), click()]);
    const chunks: Buffer[] = [];
    for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks).toString().trim().split(/\r?\n/);
  }
}
