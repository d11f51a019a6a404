// A value of a property in one line: its field type shows it, and a list shows its first value and how many more there are.
import type { Value as AnyValue } from '../../../client/main.ts';
import { asText } from '../../data/as-text.ts';
import type { KnownProperty } from '../../fields/field.ts';
import { fieldOf, valuesOf } from '../../fields/index.ts';
import { wholeMomentText } from '../../text/locale.ts';

interface Props {
  readonly value: unknown;
  readonly property: KnownProperty;
  /** As words alone, where a link would be in the way. */
  readonly look?: 'plain';
}

export function Value({ value, property, look }: Props) {
  const values = valuesOf(value as AnyValue | undefined);
  const [first] = values;
  if (first === undefined) return null;
  const field = fieldOf(property.field_type);
  const { Show } = field;
  const title = property.field_type === 'datetime' ? wholeMomentText(asText(first)) : valueText(value, property);
  // A table has thousands of these, so one of words alone is one element.
  if (values.length === 1 && (Show === undefined || look === 'plain')) {
    return (
      <span className="one-line" title={title}>
        {field.text(first, property)}
      </span>
    );
  }
  return (
    <span className="value" title={title}>
      <span className="one-line">
        {Show === undefined || look === 'plain' ? (
          field.text(first, property)
        ) : (
          <Show value={first} property={property} />
        )}
      </span>
      {values.length > 1 && <span className="more-values">{`+${values.length - 1}`}</span>}
    </span>
  );
}

/** All values in words. */
export function valueText(value: unknown, property: KnownProperty): string {
  const field = fieldOf(property.field_type);
  return valuesOf(value as AnyValue | undefined)
    .map((each) => field.text(each, property))
    .join(', ');
}
