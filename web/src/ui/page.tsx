// A page's frame: title, introduction, actions, content.
import { type ReactNode, useEffect } from "react";
import { useText } from "../texts/index.tsx";
import classes from "./page.module.css";

interface PageProps {
  title: string;
  lead?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

export function Page({ title, lead, actions, children }: PageProps) {
  const t = useText();
  useEffect(() => {
    document.title = `${title} · ${t.common.app}`;
  }, [title, t]);
  return (
    <div className={classes.page}>
      <header className={classes.header}>
        <div>
          <h1 className={classes.title}>{title}</h1>
          {lead && <p className={classes.lead}>{lead}</p>}
        </div>
        {actions && <div className={classes.actions}>{actions}</div>}
      </header>
      {children}
    </div>
  );
}

interface SectionProps {
  title: string;
  lead?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

/** A part of a page with its own heading. */
export function Section({ title, lead, actions, children }: SectionProps) {
  return (
    <section className={classes.section}>
      <header className={classes.sectionHeader}>
        <div>
          <h2 className={classes.sectionTitle}>{title}</h2>
          {lead && <p className={classes.lead}>{lead}</p>}
        </div>
        {actions && <div className={classes.actions}>{actions}</div>}
      </header>
      {children}
    </section>
  );
}

export function Panel({ children, flush }: { children: ReactNode; flush?: boolean }) {
  return <div className={flush ? classes.flushPanel : classes.panel}>{children}</div>;
}
