// A record: its title and stage, its values and links at the side, and what happened to it.
import { useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { OrreryProblem } from '../../../client/main.ts';
import '../../style/record.css';
import { paths } from '../../app/routes.ts';
import { noteType } from '../../data/activities.ts';
import { type News, useNews } from '../../data/live.ts';
import { neighboursOf } from '../../data/neighbours.ts';
import { stageLinksOf, type TypeDetail, titleOf, useType } from '../../data/schema.ts';
import { Icon } from '../../parts/icon.tsx';
import { RequestButton } from '../../parts/page-head.tsx';
import { texts } from '../../text/texts.ts';
import { Composer } from './composer.tsx';
import { LinksPanel } from './links-panel.tsx';
import { PropertiesPanel } from './properties-panel.tsx';
import { recordQuery } from './record-data.ts';
import { RecordMenu } from './record-menu.tsx';
import { StageSteps } from './stage-steps.tsx';
import { Summary } from './summary.tsx';
import { TasksPanel } from './tasks-panel.tsx';
import { Timeline } from './timeline.tsx';
import { Visibility } from './visibility.tsx';

export default function RecordPage({ type: name, id }: { readonly type: string; readonly id: string }) {
  const type = useType(name);
  const found = useQuery({ ...recordQuery(name, id), throwOnError: false, retryOnMount: false });
  useRecordNews(name, id);
  if (found.error instanceof OrreryProblem && found.error.code === 'not_found') {
    return (
      <div className="note-box" role="alert">
        <p>{found.data === undefined ? texts.noRecord : texts.recordGone}</p>
        <Link href={paths.table(name)} className="button plain">
          {type.plural_label}
        </Link>
      </div>
    );
  }
  return <Record type={type} id={id} />;
}

/** On a narrow screen one part is shown at a time. */
const parts = ['timeline', 'properties', 'links'] as const;

function Record({ type, id }: { readonly type: TypeDetail; readonly id: string }) {
  const { data: row } = useSuspenseQuery(recordQuery(type.name, id));
  const [part, setPart] = useState<(typeof parts)[number]>('timeline');
  const title = titleOf(type, row.properties);
  return (
    <div className="page">
      <header className="page-head">
        <nav aria-label={texts.place} className="trail">
          <Link href={paths.table(type.name)} className="trail-link">
            {type.plural_label}
          </Link>
          <Icon name="right" />
          <span className="one-line">{title || texts.noName}</span>
        </nav>
        <span className="grow" />
        <Neighbours type={type.name} id={id} />
        <RequestButton
          request={{
            method: 'GET',
            path: `/objects/${type.name}/records/${id}/`,
            code: `const record = await client.records(${JSON.stringify(type.name)}).get(${JSON.stringify(id)});`,
          }}
        />
        <Visibility type={type} id={id} />
        <RecordMenu type={type} row={row} />
      </header>
      <div className="record" data-part={part}>
        <div className="record-main">
          <h1 className="record-title" dir="auto">
            {title || texts.noName}
          </h1>
          <Summary type={type} row={row} />
          {stageLinksOf(type).map((link) => (
            <StageSteps key={link.name} type={type} row={row} link={link} />
          ))}
          <div className="record-parts tabs plain-tabs">
            {parts.map((each) => (
              <button
                key={each}
                type="button"
                className="tab"
                aria-pressed={part === each}
                onClick={() => setPart(each)}
              >
                {texts[each]}
              </button>
            ))}
          </div>
          <Composer type={type} id={id} />
          <Timeline type={type} id={id} />
        </div>
        <aside className="record-side" aria-label={texts.properties}>
          <PropertiesPanel type={type} row={row} />
          <TasksPanel type={type} id={id} />
          <LinksPanel type={type} id={id} />
        </aside>
      </div>
    </div>
  );
}

/** The records before and after this one in the list that it was opened from. */
function Neighbours({ type, id }: { readonly type: string; readonly id: string }) {
  const { before, after } = neighboursOf(type, id);
  if (before === undefined && after === undefined) return null;
  return (
    <>
      {(
        [
          ['up', texts.previous, before],
          ['down', texts.next, after],
        ] as const
      ).map(([icon, label, other]) =>
        other === undefined ? (
          <span key={icon} className="button quiet only-icon" aria-hidden="true" />
        ) : (
          <Link key={icon} href={paths.record(type, other)} className="button quiet only-icon" aria-label={label}>
            <Icon name={icon} />
          </Link>
        ),
      )}
    </>
  );
}

/** What changes about the record is read again; an editor keeps what is typed in it. */
function useRecordNews(type: string, id: string): void {
  const queries = useQueryClient();
  useNews((news: News) => {
    const isOwn = news === 'all' || news.some((change) => change.record_id === id || change.target_id === id);
    for (const part of isOwn ? ['record', 'linked', 'history'] : []) {
      void queries.invalidateQueries({ queryKey: ['records', type, part, id] });
    }
    // A note that changes, or its status, may be one of this record.
    const isNote = news !== 'all' && news.some(({ object_type: changed }) => changed === noteType);
    if (isNote && !isOwn) void queries.invalidateQueries({ queryKey: ['records', type, 'linked', id] });
  });
}
