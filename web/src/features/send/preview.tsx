// The message as a phone shows it.
import { useText } from "../../texts/index.tsx";
import { Icon } from "../../ui/icon.tsx";
import classes from "./send.module.css";

interface PreviewProps {
  from: string;
  text: string;
  url: string | undefined; // Of the media; undefined: a text.
}

export function Preview({ from, text, url }: PreviewProps) {
  const t = useText().send;
  const isEmpty = text.trim() === "" && url === undefined;
  return (
    <section className={classes.phone} aria-label={t.preview}>
      <header className={classes.phoneTop}>{from ? `+${from}` : "…"}</header>
      <div className={classes.screen}>
        <div className={classes.bubble} data-empty={isEmpty || undefined}>
          {url !== undefined && (
            <div className={classes.file}>
              <Icon name="link" size={20} />
              <span>{fileNameOf(url) || t.url}</span>
            </div>
          )}
          {isEmpty ? t.previewEmpty : text}
        </div>
      </div>
    </section>
  );
}

/** The last part of the address's path, else its host; empty: not an address yet. */
export function fileNameOf(url: string): string {
  try {
    const { pathname, host } = new URL(url);
    const last = pathname.split("/").at(-1) ?? "";
    return last ? decodeURIComponent(last) : host;
  } catch {
    return "";
  }
}
