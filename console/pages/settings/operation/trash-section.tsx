// What was deleted, the last first, and back again with one click.
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../data/api.ts';
import { useNews } from '../../../data/live.ts';
import { useTitles } from '../../../data/other-end.ts';
import { useCatalog, useMaybeType } from '../../../data/schema.ts';
import { ErrorNote } from '../../../parts/broken.tsx';
import { Button } from '../../../parts/button.tsx';
import { Icon, typeIcon } from '../../../parts/icon.tsx';
import { messages } from '../../../parts/toasts.tsx';
import { momentText, wholeMomentText } from '../../../text/locale.ts';
import { operationTexts } from '../../../text/operation-texts.ts';
import { settingsTexts } from '../../../text/settings-texts.ts';
import { texts } from '../../../text/texts.ts';
import { FilterChoice, Filters, useChosen } from '../parts/filters.tsx';
import { Empty, SettingsFrame, Table } from '../parts/frame.tsx';
import { useMay, useWrite } from '../parts/platform.ts';
import { type Deleted, readOn, type TrashRead, unread } from './trash-data.ts';

export function TrashSection() {
  const { types } = useCatalog();
  const [chosen, choose] = useChosen();
  // Restoring needs what deleting needs.
  const restorable = types.filter(({ writable_operations: writable }) => writable.includes('delete'));
  const objectType = chosen('type');
  const queries = useQueryClient();
  useNews((news) => {
    if (news === 'all' || news.some(({ type }) => type === 'record.deleted' || type === 'record.restored')) {
      void queries.invalidateQueries({ queryKey: ['trash'] });
    }
  });
  const found = useInfiniteQuery({
    queryKey: ['trash', objectType],
    queryFn: ({ pageParam, signal }) => readOn(pageParam, objectType, restorable, signal),
    initialPageParam: unread,
    getNextPageParam: (read: TrashRead) => (read.until === undefined ? undefined : read),
  });
  const last = found.data?.pages.at(-1);
  const shown = [...(last?.deleted.values() ?? [])].toSorted((one, other) => (one.at < other.at ? 1 : -1));
  return (
    <SettingsFrame title={settingsTexts.trash}>
      <p className="settings-intro">{operationTexts.trashIntro}</p>
      <Filters>
        <FilterChoice
          label={texts.type}
          all={operationTexts.anyType}
          choices={restorable.map(({ name, plural_label: label }) => ({ value: name, label }))}
          value={objectType}
          onChoose={(value) => choose('type', value)}
        />
      </Filters>
      {last === undefined && found.error === null && <p className="quiet">{operationTexts.reading}</p>}
      {found.error !== null && <ErrorNote error={found.error} onRetry={() => void found.refetch()} />}
      {last !== undefined && shown.length === 0 && (
        <Empty text={objectType === '' ? operationTexts.nothingDeleted : settingsTexts.filtersToNothing} />
      )}
      {shown.length > 0 && <DeletedTable deleted={shown} />}
      {found.hasNextPage && last?.until !== undefined && (
        <p className="trash-more quiet">
          {operationTexts.readSoFar(momentText(last.until))}
          <Button size="small" disabled={found.isFetchingNextPage} onClick={() => void found.fetchNextPage()}>
            {found.isFetchingNextPage ? settingsTexts.loadingMore : operationTexts.readOn}
          </Button>
        </p>
      )}
    </SettingsFrame>
  );
}

/** As many as are shown at once: more are found by choosing a type. */
const shownMost = 200;

function DeletedTable({ deleted }: { readonly deleted: readonly Deleted[] }) {
  const { types } = useCatalog();
  const may = useMay();
  const write = useWrite();
  const queries = useQueryClient();
  const [busy, setBusy] = useState<string>();
  const members = useMaybeType(may('svc_member') ? 'svc_member' : undefined);
  const shown = deleted.slice(0, shownMost);
  const names = useTitles(
    members,
    shown.map(({ principalId }) => principalId).filter((id) => id.includes('-')),
  );
  const restore = async ({ type, id, title }: Deleted) => {
    setBusy(id);
    try {
      const operation = { operation: 'restore', object_type: type, id } as const;
      await write(() => api.batch([operation], { atomic: true }), operationTexts.restored(title || texts.noName));
      await queries.invalidateQueries({ queryKey: ['trash'] });
    } catch (error) {
      messages.failed(error);
    }
    setBusy(undefined);
  };
  return (
    <Table
      label={settingsTexts.trash}
      heads={[
        { label: operationTexts.record },
        { label: texts.type, look: 'wide' },
        { label: operationTexts.deletedBy, look: 'wide' },
        { label: operationTexts.deletedAt },
        { label: texts.actions, look: 'hidden-button' },
      ]}
    >
      {shown.map((each) => {
        const type = types.find(({ name }) => name === each.type);
        const title = each.title || texts.noName;
        return (
          <tr key={each.id}>
            <th scope="row">
              <span className="cell-line">
                {type !== undefined && <Icon name={typeIcon(type)} />}
                <span className={each.title === '' ? 'one-line nameless' : 'one-line'} title={title}>
                  {title}
                </span>
              </span>
            </th>
            <td className="wide">{type?.label}</td>
            <td className="wide">
              {each.principalId === 'svc_system'
                ? operationTexts.service
                : (names.get(each.principalId) ?? operationTexts.aKey)}
            </td>
            <td className="figures">
              <time title={wholeMomentText(each.at)}>{momentText(each.at)}</time>
            </td>
            <td className="end">
              <Button
                size="small"
                aria-label={operationTexts.restoreTitle(title)}
                disabled={busy === each.id}
                onClick={() => void restore(each)}
              >
                {operationTexts.restore}
              </Button>
            </td>
          </tr>
        );
      })}
    </Table>
  );
}
