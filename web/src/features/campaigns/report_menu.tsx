// Downloads of a campaign's recipients with what became of each.
import { Button, Menu } from "@mantine/core";
import { recipientsAddress } from "../../api/campaigns.ts";
import type { CampaignRecipient } from "../../api/types.ts";
import { useText } from "../../texts/index.tsx";
import { Icon } from "../../ui/icon.tsx";

type State = CampaignRecipient["state"] | "";

export function ReportMenu({ id }: { id: string }) {
  const t = useText().campaigns;
  const item = (state: State, name: string, format: "csv" | "ndjson" = "csv") => (
    <Menu.Item
      component="a"
      href={recipientsAddress(id, state, format)}
      download={`recipients.${format}`}
    >
      {name}
    </Menu.Item>
  );
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" leftSection={<Icon name="download" size={16} />}>
          {t.download}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {item("", t.downloadAll)}
        {item("failed", t.downloadFailed)}
        {item("skipped", t.downloadSkipped)}
        {item("", t.downloadLines, "ndjson")}
      </Menu.Dropdown>
    </Menu>
  );
}
