// Long work: what it is, how far it has come, and what failed. A running job has no news in the feed, so it is asked about.
import { useState } from 'react';
import type { Row } from '../../../data/paged-rows.ts';
import { useType } from '../../../data/schema.ts';
import { Bars } from '../../../parts/loading.tsx';
import { durationText, momentText, numberText, wholeMomentText } from '../../../text/locale.ts';
import { operationTexts } from '../../../text/operation-texts.ts';
import { settingsTexts } from '../../../text/settings-texts.ts';
import { texts } from '../../../text/texts.ts';
import { allOf, FilterChoice, Filters, useChosen } from '../parts/filters.tsx';
import { Empty, SettingsFrame, Table } from '../parts/frame.tsx';
import { MoreButton } from '../parts/more-button.tsx';
import { textOf } from '../parts/platform.ts';
import { RowMenu } from '../parts/row-menu.tsx';
import { usePages } from '../parts/use-pages.ts';
import { UndoDialog } from './undo-dialog.tsx';

const askedAgainMs = 2_000;

export function JobsSection() {
  const type = useType('svc_job');
  const [chosen, choose] = useChosen();
  const [undone, setUndone] = useState<string>();
  const [kind, state] = [chosen('kind'), chosen('state')];
  const found = usePages(
    'svc_job',
    {
      sort: [{ property: 'svc_started_at', direction: 'desc' }],
      ...allOf([
        kind === '' ? undefined : { property: 'svc_kind', operator: 'eq', value: kind },
        state === '' ? undefined : { property: 'svc_state', operator: 'eq', value: state },
      ]),
    },
    (rows) => (rows.some((job) => textOf(job, 'svc_state') === 'running') ? askedAgainMs : false),
  );
  const choicesOf = (name: string, named: Readonly<Record<string, string>>) =>
    (type.byName.get(name)?.options ?? []).map(({ value, label }) => ({ value, label: named[value] ?? label }));
  const isFiltered = kind !== '' || state !== '';
  return (
    <SettingsFrame title={settingsTexts.jobs}>
      <p className="settings-intro">{operationTexts.jobsIntro}</p>
      <Filters>
        <FilterChoice
          label={operationTexts.kind}
          all={operationTexts.anyKind}
          choices={choicesOf('svc_kind', operationTexts.jobKinds)}
          value={kind}
          onChoose={(value) => choose('kind', value)}
        />
        <FilterChoice
          label={operationTexts.state}
          all={operationTexts.anyState}
          choices={choicesOf('svc_state', operationTexts.jobStates)}
          value={state}
          onChoose={(value) => choose('state', value)}
        />
      </Filters>
      {found.isPending && <Bars />}
      {found.isSuccess && found.rows.length === 0 && (
        <Empty text={isFiltered ? settingsTexts.filtersToNothing : operationTexts.noJobs} />
      )}
      {found.rows.length > 0 && (
        <Table
          label={type.plural_label}
          heads={[
            { label: operationTexts.kind },
            { label: operationTexts.state },
            { label: operationTexts.progress },
            { label: operationTexts.message, look: 'wide' },
            { label: operationTexts.started, look: 'wide' },
            { label: operationTexts.took, look: 'wide' },
            { label: texts.actions, look: 'hidden' },
          ]}
        >
          {found.rows.map((job) => (
            <JobLine key={job.id} job={job} onUndo={() => setUndone(job.id)} />
          ))}
        </Table>
      )}
      <MoreButton found={found} />
      {undone !== undefined && <UndoDialog undone={{ jobId: undone }} onClose={() => setUndone(undefined)} />}
    </SettingsFrame>
  );
}

function JobLine({ job, onUndo }: { readonly job: Row; readonly onUndo: () => void }) {
  const named = (all: Readonly<Record<string, string>>, value: string) => all[value] ?? value;
  const [kind, state] = [textOf(job, 'svc_kind'), textOf(job, 'svc_state')];
  const [started, ended] = [textOf(job, 'svc_started_at'), textOf(job, 'svc_ended_at')];
  const [total, done, failed] = ['svc_total', 'svc_done', 'svc_failed'].map((name) => textOf(job, name));
  const isBad = state === 'failed' || state === 'interrupted';
  const message = textOf(job, 'svc_message');
  const label = named(operationTexts.jobKinds, kind);
  return (
    <tr>
      <th scope="row">{label}</th>
      <td className={isBad ? 'late' : undefined}>{named(operationTexts.jobStates, state)}</td>
      <td className="figures">
        {total === '' || total === undefined
          ? numberText(done === '' || done === undefined ? '0' : done)
          : operationTexts.doneOf(numberText(done || '0'), numberText(total))}
        {failed !== '' && failed !== '0' && failed !== undefined && (
          <span className="late">{`, ${operationTexts.someFailed(numberText(failed))}`}</span>
        )}
      </td>
      <td className="wide" title={message}>
        {message}
      </td>
      <td className="wide figures">
        <time title={wholeMomentText(started)}>{momentText(started)}</time>
      </td>
      <td className="wide figures">
        {ended === '' ? '' : durationText((Date.parse(ended) - Date.parse(started)) / 1_000)}
      </td>
      <td className="end">
        <RowMenu
          title={`${label}, ${momentText(started)}`}
          actions={
            kind === 'import' && state !== 'running'
              ? [{ label: operationTexts.undoImport, icon: 'undo', onChoose: onUndo }]
              : []
          }
        />
      </td>
    </tr>
  );
}
