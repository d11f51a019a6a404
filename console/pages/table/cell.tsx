// A cell: a value that can be edited in place, or the records that are linked.
import { Link } from 'wouter';
import { paths } from '../../app/routes.ts';
import { otherEnd } from '../../data/other-end.ts';
import type { Row } from '../../data/paged-rows.ts';
import { type TypeDetail, titleOf } from '../../data/schema.ts';
import type { Column } from '../../data/view.ts';
import { fieldOf } from '../../fields/index.ts';
import { Float } from '../../parts/float.tsx';
import { StageMark } from '../../parts/stage-mark.tsx';
import { isEditable, PropertyEditor } from '../../parts/values/property-editor.tsx';
import { Value, valueText } from '../../parts/values/value.tsx';
import { texts } from '../../text/texts.ts';
import type { LinkEnds } from './link-ends.ts';

interface Props {
  readonly row: Row;
  readonly type: TypeDetail;
  readonly column: Column;
  readonly ends: LinkEnds;
  readonly onRow: (row: Row) => void;
}

export function Cell(props: Props) {
  const { row, type, column } = props;
  if (column.kind === 'link') {
    return (
      <span role="gridcell" className="cell">
        <LinkedCell row={row} column={column} end={props.ends.get(column.key)} />
      </span>
    );
  }
  const { property } = column;
  const isEnd = fieldOf(property.field_type).align === 'end';
  const className = isEnd ? 'cell end figures' : 'cell figures';
  if (!isEditable(type, property)) {
    return (
      <span role="gridcell" className={className}>
        <Value value={row.properties[property.name]} property={property} />
      </span>
    );
  }
  return (
    <span role="gridcell" className={className}>
      <EditableCell {...props} column={column} />
    </span>
  );
}

function EditableCell({
  row,
  type,
  column,
  onRow,
}: Props & { readonly column: Extract<Column, { kind: 'property' }> }) {
  const { property } = column;
  const value = row.properties[property.name];
  // The answer to a write has no links: those of the row stay.
  const keepLinks = (next: Row) =>
    onRow({ ...next, ...(row.associations === undefined ? {} : { associations: row.associations }) });
  return (
    <Float
      label={property.label}
      role="dialog"
      className="popup"
      button={{
        className: 'cell-button',
        label: texts.editValue(property.label, valueText(value, property)),
        content: <Value value={value} property={property} look="plain" />,
      }}
    >
      {(close) => <PropertyEditor type={type} row={row} property={property} onRow={keepLinks} onClose={close} />}
    </Float>
  );
}

interface LinkedProps {
  readonly row: Row;
  readonly column: Extract<Column, { kind: 'link' }>;
  readonly end: ReturnType<LinkEnds['get']>;
}

function LinkedCell({ row, column: { link }, end }: LinkedProps) {
  const other = otherEnd(link);
  const items = (row.associations?.[link.name]?.items ?? []).filter(({ object_type: type }) => type === other);
  const type = end?.type;
  const [first] = items;
  if (first === undefined) return null;
  const title = first.title ?? (type === undefined ? '' : titleOf(type, first.properties ?? {}));
  const stage = end?.stages.get(first.id);
  const text = title || texts.noName;
  return (
    <span className="value" title={text}>
      {stage !== undefined && <StageMark stage={stage} share={stage.share} />}
      {type === undefined || link.stage ? (
        <span className="one-line">{text}</span>
      ) : (
        <Link className="one-line linked" href={paths.record(other, first.id)}>
          {text}
        </Link>
      )}
      {items.length > 1 && <span className="more-values">{`+${items.length - 1}`}</span>}
    </span>
  );
}
