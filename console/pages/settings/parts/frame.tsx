// What every page of the settings has: where it is, what can be done there, and its content, with something beside it if there is.
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { paths } from '../../../app/routes.ts';
import { Icon } from '../../../parts/icon.tsx';
import { settingsTexts } from '../../../text/settings-texts.ts';
import { texts } from '../../../text/texts.ts';

interface Crumb {
  readonly label: string;
  readonly href: string;
}

interface Props {
  readonly title: string;
  /** The pages above this one, below the settings themselves. */
  readonly above?: readonly Crumb[];
  readonly actions?: ReactNode;
  readonly beside?: ReactNode;
  readonly children: ReactNode;
}

export function SettingsFrame({ title, above = [], actions, beside, children }: Props) {
  const trail = [{ label: settingsTexts.settings, href: paths.settings() }, ...above];
  return (
    <>
      <header className="page-head settings-head">
        <nav className="trail" aria-label={texts.place}>
          {trail.map(({ label, href }) => (
            <span key={href} className="trail-step">
              <Link href={href} className="trail-link">
                {label}
              </Link>
              <Icon name="right" />
            </span>
          ))}
        </nav>
        <h1 className="one-line">{title}</h1>
        <span className="grow" />
        {actions}
      </header>
      <div className="settings-body">{children}</div>
      {beside !== undefined && <aside className="settings-beside">{beside}</aside>}
    </>
  );
}

/** A part of a page with its heading. */
export function Part({
  title,
  intro,
  action,
  children,
}: {
  readonly title: string;
  readonly intro?: ReactNode;
  readonly action?: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <section className="settings-part">
      <div className="settings-part-head">
        <h2>{title}</h2>
        <span className="grow" />
        {action}
      </div>
      {intro !== undefined && <p className="settings-intro">{intro}</p>}
      {children}
    </section>
  );
}

/** A table that is read by eye: on a narrow screen only its first and last columns, and those that are marked, stay. */
export function Table({
  label,
  heads,
  children,
}: {
  readonly label: string;
  /** The heading of each column; an empty one is read out only. */
  readonly heads: readonly {
    readonly label: string;
    readonly look?: 'wide' | 'end' | 'hidden' | 'origin-head' | 'hidden-button';
  }[];
  readonly children: ReactNode;
}) {
  return (
    <table className="settings-table" aria-label={label}>
      <thead>
        <tr>
          {heads.map(({ label: head, look }) => (
            <th
              key={head}
              scope="col"
              className={look === 'hidden' ? 'narrow' : look === 'hidden-button' ? 'button-head' : look}
            >
              {look === 'hidden' || look === 'hidden-button' ? <span className="sr-only">{head}</span> : head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}

/** What stands in the place of a list that has nothing. */
export function Empty({ text, children }: { readonly text: string; readonly children?: ReactNode }) {
  return (
    <div className="note-box settings-empty">
      <p>{text}</p>
      {children}
    </div>
  );
}
