// Downloads of a campaign's recipients with what became of each.
import { recipientsAddress } from "../../api/campaigns.ts";
import type { CampaignRecipient } from "../../api/types.ts";
import { useText } from "../../texts/index.tsx";
import { type Download, DownloadMenu } from "../../ui/download_menu.tsx";

type State = CampaignRecipient["state"] | "";

export function ReportMenu({ id }: { id: string }) {
  const t = useText().campaigns;
  const report = (state: State, name: string, format: "csv" | "ndjson" = "csv"): Download => ({
    name,
    href: recipientsAddress(id, state, format),
    file: `recipients.${format}`,
  });
  return (
    <DownloadMenu
      title={t.download}
      downloads={[
        report("", t.downloadAll),
        report("failed", t.downloadFailed),
        report("skipped", t.downloadSkipped),
        report("", t.downloadLines, "ndjson"),
      ]}
    />
  );
}
