// How the official platform knows a device, and what a person can change in it.
import { Button, Group } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import type { Device } from "../../../api/types.ts";
import { devices } from "../../../queries/devices.ts";
import { useSession } from "../../../session/session.tsx";
import { useText } from "../../../texts/index.tsx";
import drawer from "../../../ui/drawer.module.css";
import { Facts, Mono, Note } from "../../../ui/notes.tsx";
import { AccessDialog } from "./access_dialog.tsx";
import { TemplatesDialog } from "./templates_dialog.tsx";

export function CloudSection({ device }: { device: Device }) {
  const t = useText().cloud;
  const { can } = useSession();
  const { cloud, fallback_template: fallback } = device;
  const [access, setAccess] = useDisclosure(false);
  const [templates, setTemplates] = useDisclosure(false);
  const tagged = useQuery(devices.one(device.number)).data;
  const mono = (id: string | null | undefined) => (id ? <Mono>{id}</Mono> : null);
  return (
    <section>
      <h3 className={drawer.part}>{t.title}</h3>
      {cloud && !cloud.waba_id && <Note calm>{t.noBusinessId}</Note>}
      {!cloud && <Note>{t.noAccess}</Note>}
      <Facts
        facts={[
          { name: t.phoneNumberId, value: mono(cloud?.phone_number_id) },
          { name: t.businessId, value: mono(cloud?.waba_id) },
          { name: t.fallback, value: fallback ? <Mono>{fallback}</Mono> : t.noFallback },
        ]}
      />
      <Group gap="xs" mt="sm">
        {can("devices:manage") && (
          <Button size="xs" variant="default" disabled={!tagged} onClick={setAccess.open}>
            {cloud ? t.access : t.accessGive}
          </Button>
        )}
        {cloud?.waba_id && (
          <Button size="xs" variant="default" disabled={!tagged} onClick={setTemplates.open}>
            {t.templates}
          </Button>
        )}
      </Group>
      {tagged && (
        <>
          <AccessDialog device={tagged} opened={access} onClose={setAccess.close} />
          <TemplatesDialog device={tagged} opened={templates} onClose={setTemplates.close} />
        </>
      )}
    </section>
  );
}
