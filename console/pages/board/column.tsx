// A column of the board: its stage with count and sum, and its cards, page by page.
import { dropTargetForElements } from '@atlaskit/pragmatic-drag-and-drop/element/adapter';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { AssociationType } from '../../../client/main.ts';
import { rememberList } from '../../data/neighbours.ts';
import type { Row } from '../../data/paged-rows.ts';
import type { TypeDetail } from '../../data/schema.ts';
import type { View } from '../../data/view.ts';
import { ErrorNote } from '../../parts/broken.tsx';
import { Button } from '../../parts/button.tsx';
import { Bars } from '../../parts/loading.tsx';
import { StageMark } from '../../parts/stage-mark.tsx';
import { moneyText, numberText } from '../../text/locale.ts';
import { texts } from '../../text/texts.ts';
import { type BoardColumn, type ColumnFigures, columnQuery } from './board-data.ts';
import { Card } from './card.tsx';
import type { Move } from './use-moves.ts';

interface Props {
  readonly type: TypeDetail;
  readonly link: AssociationType;
  readonly view: View;
  readonly column: BoardColumn;
  /** Whether a narrow screen shows it. */
  readonly isInFront: boolean;
  readonly figures: ColumnFigures | undefined;
  readonly targets: readonly BoardColumn[];
  readonly moves: ReadonlyMap<string, Move>;
  readonly carried: Move | undefined;
  readonly mayMove: boolean;
  readonly onMove: (move: Move) => Promise<void>;
  readonly onCarry: (move: Move | undefined) => void;
  readonly onCreate: () => void;
}

export function Column(props: Props) {
  const { type, link, view, column, figures, moves, carried, mayMove } = props;
  const [isOver, setOver] = useState(false);
  const place = useRef<HTMLElement>(null);
  const { stage } = column;
  const isTarget = stage !== undefined && mayMove;
  const isLost = stage?.isClosed === true && stage.probability === 0;
  const [isOpen, setOpen] = useState(!isLost);
  const found = useInfiniteQuery({ ...columnQuery(type, link, view, column), enabled: isOpen });
  const rows = cardsOf(column.id, found.data?.pages.flatMap((page) => page.rows) ?? [], moves);
  useEffect(() => {
    const element = place.current;
    if (element === null || !isTarget) return;
    return dropTargetForElements({
      element,
      getData: () => ({ column: column.id }),
      canDrop: ({ source }) => source.data['type'] === type.name && source.data['from'] !== column.id,
      onDragEnter: () => setOver(true),
      onDragLeave: () => setOver(false),
      onDrop: () => setOver(false),
    });
  }, [isTarget, column.id, type.name]);
  // Columns for what has no stage are there only if there is such a record.
  if (stage === undefined && rows.length === 0) return null;
  const isAim = isOver || (carried?.to === column.id && carried.from !== column.id);
  if (!isOpen) {
    return (
      <section
        ref={place}
        className="rail"
        data-front={props.isInFront || undefined}
        data-over={isAim || undefined}
        aria-label={column.name}
      >
        <button type="button" className="rail-button" aria-expanded={false} onClick={() => setOpen(true)}>
          {stage !== undefined && <StageMark stage={stage} share={stage.share} />}
          <span className="rail-text">
            <b>{column.name}</b> <Figures figures={figures} />
          </span>
        </button>
      </section>
    );
  }
  return (
    <section
      ref={place}
      className="column"
      data-front={props.isInFront || undefined}
      data-over={isAim || undefined}
      aria-label={column.name}
    >
      <header className="column-head">
        <h2>
          {stage !== undefined && <StageMark stage={stage} share={stage.share} />}
          <span className="one-line">{column.name}</span>
          <span className="quiet figures">{figures === undefined ? '' : numberText(figures.count)}</span>
        </h2>
        {isLost && (
          <Button look="quiet" icon="left" aria-label={texts.fold(column.name)} onClick={() => setOpen(false)} />
        )}
        {type.writable_operations.includes('create') && stage !== undefined && (
          <Button look="quiet" icon="plus" aria-label={texts.newIn(type.label, column.name)} onClick={props.onCreate} />
        )}
        <p className="column-sums figures">
          {(figures?.sums ?? []).map(({ amount, unit }) => (
            <span key={unit}>{moneyText(amount, unit)}</span>
          ))}
        </p>
      </header>
      <ul className="cards">
        {rows.map((row) => (
          <Card
            key={row.id}
            {...props}
            row={row}
            isSaving={moves.has(row.id)}
            onOpen={() =>
              rememberList(
                type.name,
                rows.map(({ id }) => id),
              )
            }
          />
        ))}
        {found.isPending && (
          <li>
            <Bars count={3} />
          </li>
        )}
        {found.error !== null && (
          <li>
            <ErrorNote error={found.error} onRetry={() => void found.refetch()} />
          </li>
        )}
        {found.isSuccess && rows.length === 0 && <li className="column-empty">{texts.emptyColumn}</li>}
        {found.hasNextPage && (
          <li>
            <Button look="quiet" disabled={found.isFetchingNextPage} onClick={() => void found.fetchNextPage()}>
              {found.isFetchingNextPage ? texts.loading : texts.more}
            </Button>
          </li>
        )}
      </ul>
    </section>
  );
}

function Figures({ figures }: { readonly figures: ColumnFigures | undefined }) {
  if (figures === undefined) return null;
  return (
    <span className="figures">
      {[numberText(figures.count), ...figures.sums.map(({ amount, unit }) => moneyText(amount, unit))].join(' ')}
    </span>
  );
}

/** The cards of the column, with those that are on their way where they go. */
function cardsOf(id: string, rows: readonly Row[], moves: ReadonlyMap<string, Move>): readonly Row[] {
  const staying = rows.filter((row) => (moves.get(row.id)?.to ?? id) === id);
  const known = new Set(staying.map((row) => row.id));
  const coming = [...moves.values()].filter(({ to, row }) => to === id && !known.has(row.id)).map(({ row }) => row);
  return [...coming, ...staying];
}
