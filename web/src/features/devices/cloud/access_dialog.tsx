// Replaces a number's token, and its other accesses: the platform is asked first, and what it
// refuses replaces nothing.
import { useState } from "react";
import type { Tagged } from "../../../api/client.ts";
import { changeDevice } from "../../../api/devices.ts";
import type { Device } from "../../../api/types.ts";
import { useText } from "../../../texts/index.tsx";
import { FormDialog } from "../../../ui/dialog.tsx";
import { useNotices } from "../../../ui/problem_note.tsx";
import { useRefresh } from "../../../ui/refresh.ts";
import { changedAccess, filled, NO_ACCESS } from "./access.ts";
import { AccessFields } from "./access_fields.tsx";

interface AccessDialogProps {
  device: Tagged<Device>;
  opened: boolean;
  onClose: () => void;
}

export function AccessDialog({ device, opened, onClose }: AccessDialogProps) {
  const t = useText();
  const notices = useNotices();
  const refresh = useRefresh("device", "devices", "templates");
  const [access, setAccess] = useState(NO_ACCESS);
  const close = () => {
    setAccess(NO_ACCESS);
    onClose();
  };
  const submit = async () => {
    try {
      await changeDevice(device.number, device.tag, changedAccess(access));
      notices.done(t.cloud.accessSaved);
    } finally {
      await refresh(); // Also after a conflict: the next attempt has the new tag.
    }
  };
  return (
    <FormDialog
      title={t.cloud.accessTitle(device.number)}
      opened={opened}
      onClose={close}
      action={t.cloud.accessSave}
      onSubmit={submit}
      disabled={Object.keys(filled(access)).length === 0}
    >
      {(problemOf) => (
        <AccessFields
          access={access}
          onChange={setAccess}
          problemOf={problemOf}
          isNew={device.cloud === null}
        />
      )}
    </FormDialog>
  );
}
