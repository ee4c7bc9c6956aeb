// A menu of files that can be downloaded.
import { Button, Menu } from "@mantine/core";
import { Icon } from "./icon.tsx";

export interface Download {
  name: string;
  href: string;
  file: string; // Its name for the browser.
}

interface DownloadMenuProps {
  title: string;
  label?: string | false; // Says what the files have.
  downloads: Download[];
}

export function DownloadMenu({ title, label, downloads }: DownloadMenuProps) {
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" leftSection={<Icon name="download" size={16} />}>
          {title}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {label && <Menu.Label>{label}</Menu.Label>}
        {downloads.map(({ name, href, file }) => (
          <Menu.Item key={name} component="a" href={href} download={file}>
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
