// The values of a record, each edited in place with the editor of its field type.
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Row } from '../../data/paged-rows.ts';
import type { TypeDetail } from '../../data/schema.ts';
import type { KnownProperty } from '../../fields/field.ts';
import { isEditable, PropertyEditor } from '../../parts/values/property-editor.tsx';
import { Value, valueText } from '../../parts/values/value.tsx';
import { texts } from '../../text/texts.ts';
import { recordQuery } from './record-data.ts';

/** Properties without a value that are shown; the others on demand. */
const emptyShown = 8;

export function PropertiesPanel({ type, row }: { readonly type: TypeDetail; readonly row: Row }) {
  const [isWhole, setWhole] = useState(false);
  const isEmpty = ({ name }: KnownProperty) => row.properties[name] === undefined;
  const writable = type.properties.filter((property) => isEmpty(property) && !property.read_only);
  const shownEmpty = new Set((isWhole ? writable : writable.slice(0, emptyShown)).map(({ name }) => name));
  const shown = type.properties.filter((property) => !isEmpty(property) || shownEmpty.has(property.name));
  return (
    <section className="panel" data-part="properties">
      <h2>{texts.properties}</h2>
      <dl className="values">
        {shown.map((property) => (
          <PropertyLine key={property.name} type={type} row={row} property={property} />
        ))}
      </dl>
      {writable.length > shownEmpty.size && (
        <button type="button" className="text-button" onClick={() => setWhole(true)}>
          {texts.moreProperties(writable.length - shownEmpty.size)}
        </button>
      )}
    </section>
  );
}

function PropertyLine({
  type,
  row,
  property,
}: {
  readonly type: TypeDetail;
  readonly row: Row;
  readonly property: KnownProperty;
}) {
  const [isEditing, setEditing] = useState(false);
  const queries = useQueryClient();
  const value = row.properties[property.name];
  return (
    <div className="value-line">
      <dt title={property.description}>{property.label}</dt>
      <dd>
        {isEditing ? (
          <PropertyEditor
            type={type}
            row={row}
            property={property}
            onRow={(next) => queries.setQueryData(recordQuery(type.name, row.id).queryKey, next)}
            onClose={() => setEditing(false)}
          />
        ) : isEditable(type, property) ? (
          <button
            type="button"
            className={value === undefined ? 'value-button unset' : 'value-button'}
            aria-label={texts.editValue(property.label, valueText(value, property))}
            onClick={() => setEditing(true)}
          >
            {value === undefined ? texts.add(property.label) : <Value value={value} property={property} look="plain" />}
          </button>
        ) : (
          <Value value={value} property={property} />
        )}
      </dd>
    </div>
  );
}
