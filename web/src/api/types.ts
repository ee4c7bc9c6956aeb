// Types of the operations' requests and answers.
import type { components, paths } from "../../build/schema.d.ts";

type Schemas = components["schemas"];

export type Account = Schemas["Account"];
export type AccountChange = Schemas["AccountChange"];
export type OwnAccountChange = Schemas["OwnAccountChange"];
export type ApiKey = Schemas["Key"];
export type Callback = Schemas["Callback"];
export type CallbackAttempt = Schemas["CallbackAttempt"];
export type CallbackBatch = Schemas["CallbackBatch"];
export type CallbackHost = Schemas["CallbackHost"];
export type CallbacksToReplay = Schemas["CallbacksToReplay"];
export type CallbackTest = Schemas["CallbackTest"];
export type CallbackState = Schemas["CallbackState"];
export type Campaign = Schemas["Campaign"];
export type CampaignChange = Schemas["CampaignChange"];
export type CampaignCheck = Schemas["CampaignCheck"];
export type CampaignProblem = Schemas["CampaignProblem"];
export type CampaignState = Schemas["CampaignState"];
export type CampaignRecipient = Schemas["Recipient"];
export type Connector = Schemas["Connector"];
export type Contact = Schemas["Contact"];
export type ContactImport = Schemas["ContactImport"];
export type Device = Schemas["Device"];
export type DeviceChange = Schemas["DeviceChange"];
export type MessageTemplate = Schemas["MessageTemplate"];
export type Message = Schemas["Message"];
export type MessageDetail = Schemas["MessageDetails"];
export type MessageState = Schemas["MessageState"];
export type NewAccount = Schemas["NewAccount"];
export type NewContact = Schemas["NewContact"];
export type Plan = Schemas["Account"]["plan"];
export type NewCampaign = Schemas["NewCampaign"];
export type NewDevice = Schemas["NewDevice"];
export type NewKey = Schemas["NewKey"];
export type NewMessage = Schemas["NewMessage"];
export type NewRecipients = Schemas["NewRecipients"];
export type Pairing = Schemas["Pairing"];
export type PairingWish = Schemas["PairingWish"];
export type ServerNode = Schemas["Node"];
export type Suppression = Schemas["Suppression"];
export type SuppressionImport = Schemas["SuppressionImport"];
export type SuppressionReason = Schemas["SuppressionReason"];
export type TimelineStep = Schemas["TimelineStep"];
export type Uploaded = Schemas["Upload"];
export type UsagePage = Schemas["UsagePage"];
export type UsageRow = Schemas["UsageRow"];
export type WaitReason = Schemas["WaitReason"];
export type Scope = Schemas["Scope"];

export type Invitation = Schemas["Invitation"];
export type InvitationAnswer = Schemas["InvitationAnswer"];
export type LedgerEntry = Schemas["LedgerEntry"];
export type LogEntry = Schemas["LogPage"]["items"][number];
export type Member = Schemas["Member"];
export type NewInvitation = Schemas["NewInvitation"];
export type NewMember = Schemas["NewMember"];
export type NewPerson = Schemas["NewPerson"];
export type Person = Schemas["Person"];
export type Role = Schemas["Role"];
export type SessionView = Schemas["SessionView"];
export type SignedIn = Schemas["SessionPage"]["items"][number];
export type SignIn = Schemas["SignIn"];

export interface Page<Item> {
  items: Item[];
  next: string | null;
}

/** The parameters of what is read at the path; empty text is left out of the request. */
export type QueryOf<Path extends keyof paths> = paths[Path] extends {
  get: { parameters: { query?: infer Query } };
}
  ? { [Name in keyof Query]?: Query[Name] | "" }
  : never;

/** With an empty account: of all accounts, for administrators. */
export type QueryOfAccount<Path extends keyof paths> = QueryOf<Path> & { account: string };
