// Removes a contact, or all that is kept about a person.
import { removeContact } from "../../api/contacts.ts";
import { useAccountId } from "../../session/session.tsx";
import { useText } from "../../texts/index.tsx";
import { ConfirmByName } from "../../ui/confirm.tsx";
import { useIsShown } from "../../ui/is_shown.ts";
import { useNotices } from "../../ui/problem_note.tsx";
import { useRefresh } from "../../ui/refresh.ts";
import classes from "./contacts.module.css";

export type Removal = "contact" | "everywhere";

interface RemovalDialogProps {
  number: string;
  asked: Removal | undefined;
  onClose: () => void;
  onRemoved: () => void;
}

export function RemovalDialog({ number, asked, onClose, onRemoved }: RemovalDialogProps) {
  const t = useText().contacts;
  const account = useAccountId();
  const notices = useNotices();
  const isShown = useIsShown();
  const refresh = useRefresh("contacts", "messages", "message", "campaigns", "campaign");
  const everywhere = asked === "everywhere";
  const remove = async () => {
    await removeContact(account, number, everywhere);
    notices.done(everywhere ? t.erased : t.removed);
    if (isShown()) onRemoved();
    await refresh();
  };
  return (
    <ConfirmByName
      title={everywhere ? t.removeEverywhere : t.removeTitle}
      text={everywhere ? <Erased /> : t.removeText}
      name={number}
      action={everywhere ? t.erase : t.remove}
      opened={asked !== undefined}
      onClose={onClose}
      onConfirm={remove}
    />
  );
}

/** What is erased, and what is not. */
function Erased() {
  const t = useText().contacts;
  return (
    <>
      {t.erases}
      <span className={classes.lines}>
        {[t.erasesContact, t.erasesPending, t.erasesValues, t.erasesTexts].map((line) => (
          <span key={line}>{line}</span>
        ))}
      </span>
      {t.stays}
    </>
  );
}
