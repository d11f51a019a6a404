// The head of a column: sorts by it, and its edge resizes it.
import type { PointerEvent } from 'react';
import { type Column, type View, widthMax, widthMin } from '../../data/view.ts';
import { fieldOf } from '../../fields/index.ts';
import { Icon } from '../../parts/icon.tsx';
import { texts } from '../../text/texts.ts';

type Props =
  | { readonly label: string; readonly column?: undefined }
  | {
      readonly column: Column;
      readonly columns: readonly Column[];
      readonly view: View;
      readonly onView: (change: Partial<View>) => void;
    };

export function columnLabel(column: Column): string {
  if (column.kind === 'property') return column.property.label;
  return column.link.label;
}

export function HeadCell(props: Props) {
  if (props.column === undefined) {
    return (
      <span role="columnheader" className="cell head title">
        {props.label}
      </span>
    );
  }
  const { column, columns, view, onView } = props;
  const isSortable = column.kind === 'property' && column.property.type.sortable && !column.property.multi_valued;
  const sorted = view.sort?.property === column.key ? view.sort.direction : undefined;
  const isEnd = column.kind === 'property' && fieldOf(column.property.field_type).align === 'end';
  const sort = () => onView({ sort: { property: column.key, direction: sorted === 'asc' ? 'desc' : 'asc' } });
  const resize = (width: number) => {
    const bounded = Math.round(Math.max(widthMin, Math.min(widthMax, width)));
    onView({
      columns: columns.map((each) => ({ name: each.key, width: each.key === column.key ? bounded : each.width })),
    });
  };
  return (
    <span
      role="columnheader"
      aria-sort={sorted === undefined ? undefined : sorted === 'asc' ? 'ascending' : 'descending'}
      className={isEnd ? 'cell head end' : 'cell head'}
    >
      {isSortable ? (
        <button type="button" className="head-button" onClick={sort}>
          {sorted !== undefined && <Icon name={sorted === 'asc' ? 'up' : 'down'} />}
          <span className="one-line">{columnLabel(column)}</span>
        </button>
      ) : (
        <span className="one-line">{columnLabel(column)}</span>
      )}
      <Edge width={column.width} label={columnLabel(column)} onResize={resize} />
    </span>
  );
}

function Edge({
  width,
  label,
  onResize,
}: {
  readonly width: number;
  readonly label: string;
  readonly onResize: (width: number) => void;
}) {
  const drag = (down: PointerEvent<HTMLElement>) => {
    const edge = down.currentTarget;
    const startX = down.clientX;
    edge.setPointerCapture(down.pointerId);
    let last = startX;
    const move = (event: globalThis.PointerEvent) => {
      last = event.clientX;
      edge.style.transform = `translateX(${last - startX}px)`;
    };
    const end = () => {
      edge.removeEventListener('pointermove', move);
      edge.style.transform = '';
      if (last !== startX) onResize(width + last - startX);
    };
    edge.addEventListener('pointermove', move);
    edge.addEventListener('lostpointercapture', end, { once: true });
  };
  return (
    <span
      className="edge"
      role="separator"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={texts.widthOf(label)}
      aria-valuenow={width}
      aria-valuemin={widthMin}
      aria-valuemax={widthMax}
      onPointerDown={drag}
      onKeyDown={(event) => {
        if (event.key === 'ArrowLeft') onResize(width - 16);
        if (event.key === 'ArrowRight') onResize(width + 16);
      }}
    />
  );
}
