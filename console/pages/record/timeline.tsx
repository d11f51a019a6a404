// What happened to a record: activities and notes that are linked with it, moves from stage to stage, and changes of values.
import { useState } from 'react';
import { Link } from 'wouter';
import type { TypeDetail } from '../../data/schema.ts';
import { Icon } from '../../parts/icon.tsx';
import { momentText, wholeMomentText } from '../../text/locale.ts';
import { texts } from '../../text/texts.ts';
import { type Entry, useEntries } from './timeline-entries.ts';

type Shown = 'everything' | Entry['kind'];

const entriesShown = 50;

export function Timeline({ type, id }: { readonly type: TypeDetail; readonly id: string }) {
  const [shown, setShown] = useState<Shown>('everything');
  const [most, setMost] = useState(entriesShown);
  const all = useEntries(type, id);
  const chosen = all.filter(({ kind }) => shown === 'everything' || kind === shown);
  return (
    <section className="timeline" aria-label={texts.timeline}>
      <header className="timeline-head">
        <h2>{texts.timeline}</h2>
        <div className="tabs plain-tabs">
          {(['everything', 'activity', 'note', 'change'] as const).map((each) => (
            <button
              key={each}
              type="button"
              className="tab"
              aria-pressed={shown === each}
              onClick={() => setShown(each)}
            >
              {texts.timelineKinds[each]}
            </button>
          ))}
        </div>
      </header>
      <ol className="entries">
        {chosen.slice(0, most).map((entry) => (
          <TimelineEntry key={entry.key} entry={entry} />
        ))}
      </ol>
      {chosen.length > most && (
        <button type="button" className="text-button" onClick={() => setMost(most + entriesShown)}>
          {texts.more}
        </button>
      )}
      {chosen.length === 0 && <p className="quiet">{texts.nothingYet}</p>}
    </section>
  );
}

function TimelineEntry({ entry }: { readonly entry: Entry }) {
  const { kind, icon, title, before, after, by, tag, text, href, at } = entry;
  return (
    <li className={kind === 'change' ? 'entry change' : 'entry'}>
      <span className="entry-icon">
        <Icon name={icon} />
      </span>
      <div className="entry-body">
        <p className="entry-line">
          {href === undefined ? (
            title !== undefined && <span>{title}</span>
          ) : (
            <Link href={href} className="linked strong">
              {title}
            </Link>
          )}
          {tag !== undefined && <span className="tag">{tag}</span>}
          {(before !== undefined || after !== undefined) && (
            <>
              {before !== undefined && <span>{before}</span>}
              <Icon name="arrow" />
              <b>{after ?? texts.nothing}</b>
            </>
          )}
          {by !== undefined && <span>{texts.by(by)}</span>}
        </p>
        {text !== undefined && text !== '' && <p className="entry-text">{text}</p>}
      </div>
      <time className="quiet" dateTime={at} title={wholeMomentText(at)}>
        {momentText(at)}
      </time>
    </li>
  );
}
