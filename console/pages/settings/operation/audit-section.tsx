// What was done in the administration of the org, the last first: who, from where, about what. What can be taken back has Undo.
import { type QueryClient, useQueries } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { paths } from '../../../app/routes.ts';
import { api } from '../../../data/api.ts';
import { useTitles } from '../../../data/other-end.ts';
import type { Row } from '../../../data/paged-rows.ts';
import { titleOf, typeQuery, useMaybeType, useType } from '../../../data/schema.ts';
import { Bars } from '../../../parts/loading.tsx';
import { momentText, wholeMomentText } from '../../../text/locale.ts';
import { operationTexts } from '../../../text/operation-texts.ts';
import { settingsTexts } from '../../../text/settings-texts.ts';
import { texts } from '../../../text/texts.ts';
import { allOf, FilterChoice, Filters, useChosen } from '../parts/filters.tsx';
import { Empty, SettingsFrame, Table } from '../parts/frame.tsx';
import { MoreButton } from '../parts/more-button.tsx';
import { textOf, useMay, usePlatform } from '../parts/platform.ts';
import { RowMenu } from '../parts/row-menu.tsx';
import { usePages } from '../parts/use-pages.ts';
import { UndoDialog } from './undo-dialog.tsx';

const dayMs = 86_400_000;
const areas = Object.entries(operationTexts.areas).map(([value, label]) => ({ value, label }));
const times = Object.entries(operationTexts.since).map(([value, label]) => ({ value, label }));

export function AuditSection() {
  const [chosen, choose] = useChosen();
  // A moment that moves with every drawing would be another question each time.
  const [now] = useState(() => Date.now());
  const [area, who, since] = [chosen('area'), chosen('who'), chosen('since')];
  const found = usePages('svc_audit_entry', {
    sort: [{ property: 'svc_at', direction: 'desc' }],
    ...allOf([
      area === '' ? undefined : { property: 'svc_action', operator: 'starts_with', value: `${area}.` },
      who === '' ? undefined : { property: 'svc_principal_id', operator: 'eq', value: who },
      since === ''
        ? undefined
        : { property: 'svc_at', operator: 'gte', value: new Date(now - Number(since) * dayMs).toISOString() },
    ]),
  });
  const [undone, setUndone] = useState<string>();
  const isFiltered = area !== '' || who !== '' || since !== '';
  return (
    <SettingsFrame title={settingsTexts.audit}>
      <p className="settings-intro">{operationTexts.auditIntro}</p>
      <Filters>
        <FilterChoice
          label={operationTexts.what}
          all={operationTexts.anything}
          choices={areas}
          value={area}
          onChoose={(value) => choose('area', value)}
        />
        <WhoChoice value={who} onChoose={(value) => choose('who', value)} />
        <FilterChoice
          label={operationTexts.when}
          all={operationTexts.anyTime}
          choices={times}
          value={since}
          onChoose={(value) => choose('since', value)}
        />
      </Filters>
      {found.isPending && <Bars />}
      {found.isSuccess && found.rows.length === 0 && (
        <Empty text={isFiltered ? settingsTexts.filtersToNothing : operationTexts.auditNothing} />
      )}
      {found.rows.length > 0 && <Entries entries={found.rows} onUndo={setUndone} />}
      <MoreButton found={found} />
      {undone !== undefined && <UndoDialog undone={{ requestId: undone }} onClose={() => setUndone(undefined)} />}
    </SettingsFrame>
  );
}

function WhoChoice({ value, onChoose }: { readonly value: string; readonly onChoose: (value: string) => void }) {
  const may = useMay();
  return may('svc_member') ? <Members value={value} onChoose={onChoose} /> : null;
}

function Members({ value, onChoose }: { readonly value: string; readonly onChoose: (value: string) => void }) {
  const members = usePlatform('svc_member', { sort: [{ property: 'svc_name', direction: 'asc' }] });
  return (
    <FilterChoice
      label={operationTexts.who}
      all={operationTexts.anybody}
      choices={members.map((member) => ({ value: member.id, label: textOf(member, 'svc_name') }))}
      value={value}
      onChoose={onChoose}
    />
  );
}

function Entries({
  entries,
  onUndo,
}: {
  readonly entries: readonly Row[];
  readonly onUndo: (requestId: string) => void;
}) {
  const nameOf = useNames(entries);
  const titleOfSubject = useSubjects(entries);
  const type = useType('svc_audit_entry');
  return (
    <Table
      label={type.plural_label}
      heads={[
        { label: operationTexts.what },
        { label: operationTexts.who, look: 'wide' },
        { label: operationTexts.about, look: 'wide' },
        { label: operationTexts.when },
        { label: texts.actions, look: 'hidden' },
      ]}
    >
      {entries.map((entry) => {
        const action = textOf(entry, 'svc_action');
        const label = actionText(action);
        const who = nameOf(textOf(entry, 'svc_principal_id'));
        const [at, requestId] = [textOf(entry, 'svc_at'), textOf(entry, 'svc_request_id')];
        return (
          <tr key={entry.id}>
            <th scope="row" title={action}>
              {label}
              <span className="narrow-line">{who}</span>
            </th>
            <td className="wide" title={textOf(entry, 'svc_address')}>
              {who}
            </td>
            <td className="wide">
              <About entry={entry} title={titleOfSubject(textOf(entry, 'svc_record_id'))} />
            </td>
            <td className="figures">
              <time title={wholeMomentText(at)}>{momentText(at)}</time>
            </td>
            <td className="end">
              <RowMenu
                title={`${label}, ${momentText(at)}`}
                actions={
                  isUndoable(action) && requestId !== ''
                    ? [{ label: texts.undo, icon: 'undo', onChoose: () => onUndo(requestId) }]
                    : []
                }
              />
            </td>
          </tr>
        );
      })}
    </Table>
  );
}

function actionText(action: string): string {
  return (operationTexts.actions as Readonly<Record<string, string>>)[action] ?? action;
}

/** What wrote records that can go back. A secret, a sign-in or an erasure cannot. */
function isUndoable(action: string): boolean {
  return /^(schema|member|role|request)\.|^access_key\.(created|changed)$/.test(action);
}

/** The names of those who did it; the service itself and keys have none. */
function useNames(entries: readonly Row[]): (principalId: string) => string {
  const may = useMay();
  const members = useMaybeType(may('svc_member') ? 'svc_member' : undefined);
  const titles = useTitles(
    members,
    entries.map((entry) => textOf(entry, 'svc_principal_id')).filter((id) => id.includes('-')),
  );
  return (id) => {
    if (id === 'svc_system') return operationTexts.service;
    return titles.get(id) ?? (id.includes('-') ? id : `${operationTexts.aKey} ${id}`);
  };
}

function About({ entry, title }: { readonly entry: Row; readonly title: string | undefined }) {
  const [type = '', id = '', detail] = ['svc_object_type', 'svc_record_id', 'svc_detail'].map((name) =>
    textOf(entry, name),
  );
  return (
    <span className="cell-line" title={detail}>
      {title !== undefined && (
        <Link href={paths.record(type, id)} className="link one-line">
          {title}
        </Link>
      )}
      <span className="one-line quiet">{detail}</span>
    </span>
  );
}

/** The titles of the records that the entries are about, as far as they are there and the caller sees them. */
function useSubjects(entries: readonly Row[]): (recordId: string) => string | undefined {
  const may = useMay();
  const ids = new Map<string, Set<string>>();
  for (const entry of entries) {
    const [type, id] = [textOf(entry, 'svc_object_type'), textOf(entry, 'svc_record_id')];
    if (type !== '' && id !== '' && may(type)) ids.set(type, (ids.get(type) ?? new Set()).add(id));
  }
  const found = useQueries({
    queries: [...ids].map(([type, some]) => titlesQuery(type, [...some].toSorted().slice(0, subjectsMost))),
  });
  return (id) => found.map(({ data }) => data?.get(id)).find((title) => title !== undefined);
}

const subjectsMost = 200;

function titlesQuery(type: string, ids: readonly string[]) {
  return {
    queryKey: ['records', type, 'subjects', ids],
    queryFn: async ({ signal, client }: { signal: AbortSignal; client: QueryClient }) => {
      const detail = await client.ensureQueryData(typeQuery(type));
      const filter = { property: 'id', operator: 'in', value: ids } as const;
      const page = await api.records(type).query({ filter, limit: subjectsMost }, { signal }).first();
      return new Map(page.data.map(({ id, properties }) => [id, titleOf(detail, properties)]));
    },
    throwOnError: false,
  };
}
