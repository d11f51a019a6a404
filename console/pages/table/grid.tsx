// The rows and columns of a table. Only the rows in sight are in the page.
import { memo, type RefObject, type UIEvent, useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { paths } from '../../app/routes.ts';
import { rememberList } from '../../data/neighbours.ts';
import type { Row } from '../../data/paged-rows.ts';
import { type TypeDetail, titleOf } from '../../data/schema.ts';
import type { Rows } from '../../data/use-rows.ts';
import type { Column, View } from '../../data/view.ts';
import { ErrorNote } from '../../parts/broken.tsx';
import { Button } from '../../parts/button.tsx';
import { Bars } from '../../parts/loading.tsx';
import { texts } from '../../text/texts.ts';
import { Cell } from './cell.tsx';
import { HeadCell } from './head-cell.tsx';
import { type LinkEnds, useLinkEnds } from './link-ends.ts';
import { rowHeight, useRowsInSight } from './rows-in-sight.ts';

interface Props {
  readonly type: TypeDetail;
  readonly view: View;
  readonly columns: readonly Column[];
  readonly shown: Rows;
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (selected: ReadonlySet<string>) => void;
  readonly onView: (change: Partial<View>) => void;
  readonly empty: string;
  readonly onClear?: () => void;
}

const titleWidth = 200;
const noColumns: readonly Column[] = [];

export function Grid({ type, view, columns, shown, selected, onSelect, onView, empty, onClear }: Props) {
  const [box, setBox] = useState<HTMLDivElement | null>(null);
  const { rows, state } = shown;
  // One more than there are: the bars of what is being read.
  const count = state.count + (state.isComplete ? 0 : 1);
  const { first, last } = useRowsInSight(box, count);
  useEffect(() => rows.show(first, last), [rows, first, last]);
  // The first rows do not wait for what is only shown beside them.
  const ends = useLinkEnds(state.count === 0 ? noColumns : columns);
  // Rows are drawn again only if they have changed: what they can do is always the newest, and always at the same place.
  const actions = useRef<RowActions>(noActions);
  actions.current = {
    toggle: (id) => {
      const next = new Set(selected);
      if (!next.delete(id)) next.add(id);
      onSelect(next);
    },
    open: () => rememberList(type.name, rows.ids()),
    replace: (row) => rows.replace([row], new Set()),
  };
  const template = `40px ${titleWidth}px ${columns.map(({ width }) => `${width}px`).join(' ')} minmax(8px, 1fr)`;
  const width = 40 + titleWidth + columns.reduce((sum, column) => sum + column.width, 0) + 8;
  if (state.error !== undefined && state.count === 0)
    return <ErrorNote error={state.error} onRetry={() => rows.retry()} />;
  if (state.isComplete && state.count === 0) {
    return (
      <div className="note-box">
        <p>{empty}</p>
        {onClear !== undefined && <Button onClick={onClear}>{texts.clearFilters}</Button>}
      </div>
    );
  }
  return (
    <>
      <div className="grid-scroll" ref={setBox} tabIndex={-1} onScroll={noteAside}>
        {state.count === 0 && <Bars count={12} />}
        <div
          className="grid"
          role="grid"
          aria-label={type.plural_label}
          aria-rowcount={-1}
          style={{ minInlineSize: width }}
        >
          <div className="grid-head" role="row" style={{ gridTemplateColumns: template }}>
            <SelectAll rows={shown} selected={selected} onSelect={onSelect} />
            <HeadCell label={texts.name} />
            {columns.map((column) => (
              <HeadCell key={column.key} column={column} columns={columns} view={view} onView={onView} />
            ))}
            <span role="presentation" />
          </div>
          <div className="grid-body" role="rowgroup" style={{ blockSize: count * rowHeight }}>
            {indexesFrom(first, last).map((index) => (
              <GridRow
                key={rows.at(index)?.id ?? `gap ${index}`}
                index={index}
                row={rows.at(index)}
                type={type}
                columns={columns}
                template={template}
                isSelected={selected.has(rows.at(index)?.id ?? '')}
                isTouched={shown.touched.has(rows.at(index)?.id ?? '')}
                ends={ends}
                actions={actions}
              />
            ))}
          </div>
        </div>
      </div>
      {state.error !== undefined && <ErrorNote error={state.error} onRetry={() => rows.retry()} />}
    </>
  );
}

function indexesFrom(first: number, last: number): readonly number[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, place) => first + place);
}

/** Titles stick only to a table that is scrolled sideways: each that does is a layer of its own for the browser. */
function noteAside({ currentTarget: box }: UIEvent<HTMLElement>): void {
  box.toggleAttribute('data-aside', box.scrollLeft !== 0);
}

function SelectAll({
  rows,
  selected,
  onSelect,
}: {
  readonly rows: Rows;
  readonly selected: ReadonlySet<string>;
  readonly onSelect: Props['onSelect'];
}) {
  const box = useRef<HTMLInputElement>(null);
  const count = rows.state.count;
  const isAll = selected.size > 0 && selected.size >= count;
  useEffect(() => {
    if (box.current !== null) box.current.indeterminate = selected.size > 0 && !isAll;
  }, [selected, isAll]);
  return (
    <span role="columnheader" className="cell check">
      <input
        ref={box}
        type="checkbox"
        aria-label={texts.selectAll}
        checked={isAll}
        onChange={() => onSelect(selected.size > 0 ? new Set() : new Set(rows.rows.ids()))}
      />
    </span>
  );
}

interface RowProps {
  readonly index: number;
  readonly row: Row | undefined;
  readonly type: TypeDetail;
  readonly columns: readonly Column[];
  readonly template: string;
  readonly isSelected: boolean;
  readonly isTouched: boolean;
  readonly ends: LinkEnds;
  readonly actions: RefObject<RowActions>;
}

interface RowActions {
  readonly toggle: (id: string) => void;
  readonly open: () => void;
  readonly replace: (row: Row) => void;
}

const noActions: RowActions = { toggle: () => {}, open: () => {}, replace: () => {} };

const GridRow = memo(function GridRow({
  index,
  row,
  type,
  columns,
  template,
  isSelected,
  isTouched,
  ends,
  actions,
}: RowProps) {
  const style = { gridTemplateColumns: template, insetBlockStart: index * rowHeight };
  if (row === undefined) {
    return (
      <div className="grid-row" role="row" style={style} aria-rowindex={index + 2}>
        <span className="cell check" />
        <span className="cell">
          <span className="bar-grey" style={{ inlineSize: `${50 + ((index * 31) % 40)}%` }} />
        </span>
      </div>
    );
  }
  const title = titleOf(type, row.properties);
  return (
    <div
      className="grid-row"
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      data-touched={isTouched || undefined}
      style={style}
    >
      <span role="gridcell" className="cell check">
        <input
          type="checkbox"
          aria-label={texts.select(title || texts.noName)}
          checked={isSelected}
          onChange={() => actions.current.toggle(row.id)}
        />
      </span>
      <span role="gridcell" className="cell title">
        <Link
          href={paths.record(type.name, row.id)}
          onClick={() => actions.current.open()}
          className={title === '' ? 'row-title nameless' : 'row-title'}
          title={title}
        >
          {title || texts.noName}
        </Link>
      </span>
      {columns.map((column) => (
        <Cell
          key={column.key}
          row={row}
          type={type}
          column={column}
          ends={ends}
          onRow={(next) => actions.current.replace(next)}
        />
      ))}
    </div>
  );
});
