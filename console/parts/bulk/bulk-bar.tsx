// What can be done with the chosen records: change a value, link, merge two, delete. What failed stays in sight with its reason.
import { useState } from 'react';
import type { AnySchema, BatchOperation } from '../../../client/main.ts';
import { type BulkResult, runBulk } from '../../data/bulk.ts';
import type { TypeDetail } from '../../data/schema.ts';
import { undo } from '../../data/write.ts';
import { texts } from '../../text/texts.ts';
import { Button } from '../button.tsx';
import { MergeDialog, mayMerge } from '../merge-dialog.tsx';
import { messages } from '../toasts.tsx';
import { ChangeDialog, LinkDialog, useBulkLinks } from './bulk-dialogs.tsx';

interface Props {
  readonly type: TypeDetail;
  readonly selected: ReadonlySet<string>;
  /** Keeps only these chosen. */
  readonly onSelect: (selected: ReadonlySet<string>) => void;
  readonly onChanged: () => void;
}

/** What was done, and what of it can be taken back. */
interface Done {
  readonly said: string;
  readonly result: BulkResult;
  /** The choice that it was done with: another one can be worked on at once. */
  readonly of: ReadonlySet<string>;
}

export function BulkBar({ type, selected, onSelect, onChanged }: Props) {
  const [asked, setAsked] = useState<'change' | 'link' | 'merge'>();
  const [progress, setProgress] = useState<number>();
  const [done, setDone] = useState<Done>();
  const ids = [...selected];
  const run = async (operationOf: (id: string) => BatchOperation<AnySchema>, said: (count: number) => string) => {
    setAsked(undefined);
    setProgress(0);
    try {
      const result = await runBulk(ids, operationOf, setProgress);
      setDone({ said: said(result.succeeded), result, of: selected });
      onChanged();
    } catch (error) {
      messages.failed(error);
    } finally {
      setProgress(undefined);
    }
  };
  const close = () => onSelect(new Set());
  if (done !== undefined && done.of === selected) {
    return (
      <Outcome
        done={done}
        onUndone={() => {
          onChanged();
          close();
        }}
        onFailures={() => {
          onSelect(new Set(done.result.failures.map(({ id }) => id)));
          setDone(undefined);
        }}
        onClose={close}
      />
    );
  }
  return (
    <div className="bulk" role="region" aria-label={texts.selected(selected.size)}>
      <b className="figures" role="status">
        {progress === undefined ? texts.selected(selected.size) : `${progress} / ${selected.size}`}
      </b>
      <Actions
        type={type}
        isPair={selected.size === 2}
        isDisabled={progress !== undefined}
        onAsk={setAsked}
        onDelete={() => void run((id) => ({ operation: 'delete', object_type: type.name, id }), texts.deleted)}
      />
      <Button look="quiet" icon="close" aria-label={texts.close} onClick={close} />
      {asked === 'change' && (
        <ChangeDialog
          type={type}
          onClose={() => setAsked(undefined)}
          onChoose={(name, value) =>
            void run(
              (id) => ({ operation: 'update', object_type: type.name, id, properties: { [name]: value } }),
              texts.changed,
            )
          }
        />
      )}
      {asked === 'link' && (
        <LinkDialog
          type={type}
          onClose={() => setAsked(undefined)}
          onChoose={(association, target) =>
            void run(
              (id) => ({
                operation: 'associate',
                object_type: type.name,
                id,
                association_type: association,
                target_id: target,
              }),
              texts.linkedMany,
            )
          }
        />
      )}
      {asked === 'merge' && ids[0] !== undefined && ids[1] !== undefined && (
        <MergeDialog
          type={type}
          id={ids[0]}
          otherId={ids[1]}
          onClose={() => setAsked(undefined)}
          onMerged={() => {
            onChanged();
            close();
          }}
        />
      )}
    </div>
  );
}

function Actions({
  type,
  isPair,
  isDisabled,
  onAsk,
  onDelete,
}: {
  readonly type: TypeDetail;
  readonly isPair: boolean;
  readonly isDisabled: boolean;
  readonly onAsk: (asked: 'change' | 'link' | 'merge') => void;
  readonly onDelete: () => void;
}) {
  const may = (operation: string) => (type.writable_operations as readonly string[]).includes(operation);
  const hasLinks = useBulkLinks(type).length > 0;
  return (
    <>
      {may('update') && (
        <Button look="quiet" icon="edit" disabled={isDisabled} onClick={() => onAsk('change')}>
          {texts.changeValue}
        </Button>
      )}
      {may('associate') && hasLinks && (
        <Button look="quiet" icon="link" disabled={isDisabled} onClick={() => onAsk('link')}>
          {texts.link}
        </Button>
      )}
      {mayMerge(type) && isPair && (
        <Button look="quiet" icon="merge" disabled={isDisabled} onClick={() => onAsk('merge')}>
          {texts.merge}
        </Button>
      )}
      {may('delete') && (
        <Button look="danger" icon="trash" disabled={isDisabled} onClick={onDelete}>
          {texts.delete}
        </Button>
      )}
    </>
  );
}

function Outcome({
  done: { said, result },
  onUndone,
  onFailures,
  onClose,
}: {
  readonly done: Done;
  readonly onUndone: () => void;
  readonly onFailures: () => void;
  readonly onClose: () => void;
}) {
  const { failures, requestIds, succeeded } = result;
  const takeBack = async () => {
    try {
      const left = await Promise.all(requestIds.map(undo));
      messages.done(left.find((words) => words !== undefined) ?? texts.undone);
      onUndone();
    } catch (error) {
      messages.failed(error);
    }
  };
  return (
    <div className="bulk" role="status">
      <b>{said}</b>
      {failures.length > 0 && (
        <span className="bulk-failures">
          {`${texts.failed(failures.length)}: ${[...new Set(failures.map(({ detail }) => detail))].slice(0, 2).join(' ')}`}
        </span>
      )}
      {failures.length > 0 && (
        <Button look="quiet" onClick={onFailures}>
          {texts.selectFailed}
        </Button>
      )}
      {succeeded > 0 && (
        <Button look="quiet" icon="undo" onClick={() => void takeBack()}>
          {texts.undo}
        </Button>
      )}
      <Button look="quiet" icon="close" aria-label={texts.close} onClick={onClose} />
    </div>
  );
}
