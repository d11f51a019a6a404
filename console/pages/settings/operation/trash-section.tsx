// What was deleted, the last first, and back again with one click.
import { useState, useSyncExternalStore } from 'react';
import { type ObjectType, OrreryProblem } from '../../../../client/main.ts';
import { useSession } from '../../../app/session.ts';
import { api } from '../../../data/api.ts';
import { useNews } from '../../../data/live.ts';
import { useTitles } from '../../../data/other-end.ts';
import { useCatalog, useMaybeType } from '../../../data/schema.ts';
import { ErrorNote } from '../../../parts/broken.tsx';
import { Button } from '../../../parts/button.tsx';
import { Icon, typeIcon } from '../../../parts/icon.tsx';
import { messages } from '../../../parts/toasts.tsx';
import { momentText, numberText, wholeMomentText } from '../../../text/locale.ts';
import { operationTexts } from '../../../text/operation-texts.ts';
import { settingsTexts } from '../../../text/settings-texts.ts';
import { texts } from '../../../text/texts.ts';
import { FilterChoice, Filters, useChosen } from '../parts/filters.tsx';
import { Empty, SettingsFrame, Table } from '../parts/frame.tsx';
import { useMay, useWrite } from '../parts/platform.ts';
import { type Deleted, type Trash, TrashReaders } from './trash-data.ts';

export function TrashSection() {
  const { types } = useCatalog();
  const [chosen, choose] = useChosen();
  // Restoring needs what deleting needs.
  const restorable = types.filter(({ writable_operations: writable }) => writable.includes('delete'));
  const objectType = chosen('type');
  const { trash, readOn, leave } = useTrash(objectType, restorable);
  const restoring = useRestoring(leave);
  const { deleted, reading, error } = trash;
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
      {reading !== undefined && error === undefined && (
        <div className="trash-reading quiet">
          <progress aria-label={operationTexts.reading} value={reading.share} max={1} />
          <span>
            {reading.until === '' ? operationTexts.reading : operationTexts.readSoFar(momentText(reading.until))}
          </span>
        </div>
      )}
      {error !== undefined && <ErrorNote error={error} onRetry={readOn} />}
      {reading === undefined && deleted.length === 0 && (
        <Empty text={objectType === '' ? operationTexts.nothingDeleted : settingsTexts.filtersToNothing} />
      )}
      {deleted.length > 0 && <DeletedTable key={objectType} trash={trash} restoring={restoring} />}
    </SettingsFrame>
  );
}

let held: { readonly owner: string; readonly readers: TrashReaders } | undefined;

/** What another person may see of the trash is read again. */
function readersOf(owner: string, restorable: readonly ObjectType[]): TrashReaders {
  if (held?.owner !== owner) held = { owner, readers: new TrashReaders(api, restorable) };
  return held.readers;
}

function useTrash(objectType: string, restorable: readonly ObjectType[]) {
  const signedIn = useSession();
  const who = signedIn.phase === 'signed-in' ? signedIn.who : undefined;
  const known = restorable.map(({ name, title_property: title }) => `${name}:${title}`);
  const readers = readersOf([who?.org_id, who?.member.id, ...known].join(), restorable);
  const reader = readers.of(objectType);
  const trash = useSyncExternalStore(reader.subscribe, reader.trash);
  const readOn = () => void reader.readOn();
  useNews((news) => {
    if (news === 'all' || news.some(({ type }) => type === 'record.deleted' || type === 'record.restored')) readOn();
  });
  return { trash, readOn, leave: (id: string, version?: string) => readers.leave(id, version) };
}

interface Restoring {
  /** The records that are being restored. */
  readonly busy: ReadonlySet<string>;
  readonly restore: (deleted: Deleted) => Promise<void>;
}

/** A record leaves the list as soon as it is restored, or it turns out that it was purged. */
function useRestoring(leave: (id: string, version?: string) => void): Restoring {
  const write = useWrite();
  const [busy, setBusy] = useState<ReadonlySet<string>>(new Set());
  const restore = async ({ type, id, title }: Deleted) => {
    setBusy((before) => new Set(before).add(id));
    try {
      const operation = { operation: 'restore', object_type: type, id } as const;
      const run = async () => {
        const written = await api.batch([operation], { atomic: true });
        leave(id, written.data.results[0]?.version);
        return written;
      };
      await write(run, operationTexts.restored(title || texts.noName));
    } catch (error) {
      if (error instanceof OrreryProblem && error.code === 'not_found') leave(id);
      messages.failed(error);
    }
    setBusy((before) => new Set([...before].filter((each) => each !== id)));
  };
  return { busy, restore };
}

/** As many as are shown at once: more are shown when somebody asks. */
const rowsShown = 200;

interface TableProps {
  readonly trash: Trash;
  readonly restoring: Restoring;
}

function DeletedTable({ trash: { deleted, isCut, reading }, restoring }: TableProps) {
  const { types } = useCatalog();
  const may = useMay();
  const members = useMaybeType(may('svc_member') ? 'svc_member' : undefined);
  const [most, setMost] = useState(rowsShown);
  const shown = deleted.slice(0, most);
  const names = useTitles(
    members,
    shown.map(({ principalId }) => principalId).filter((id) => id.includes('-')),
  );
  return (
    <>
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
                  disabled={restoring.busy.has(each.id)}
                  onClick={() => void restoring.restore(each)}
                >
                  {operationTexts.restore}
                </Button>
              </td>
            </tr>
          );
        })}
      </Table>
      {(deleted.length > shown.length || isCut || reading !== undefined) && (
        <p className="trash-more quiet">
          {operationTexts.shownOf(shown.length, numberText(String(deleted.length)), reading !== undefined, isCut)}
          {deleted.length > shown.length && (
            <Button size="small" onClick={() => setMost(most + rowsShown)}>
              {settingsTexts.more}
            </Button>
          )}
        </p>
      )}
    </>
  );
}
