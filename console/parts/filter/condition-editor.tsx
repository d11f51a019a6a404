// Builds one condition: about a property with the operators of its field type, or about an association.
import { useId, useState } from 'react';
import type { Operator } from '../../../client/main.ts';
import type { TypeDetail } from '../../data/schema.ts';
import type { PropertyCondition as Compared, Condition } from '../../data/view.ts';
import type { KnownProperty, Single } from '../../fields/field.ts';
import { fieldOf } from '../../fields/index.ts';
import { texts } from '../../text/texts.ts';
import { Button } from '../button.tsx';
import { operatorText } from './condition-text.ts';
import { keyOfLink, LinkCondition, linkChoices } from './link-condition.tsx';

interface Props {
  readonly type: TypeDetail;
  readonly condition?: Condition;
  readonly onSave: (condition: Condition) => void;
}

/** Operators whose value is any text, whatever the shape of the property. */
const partial: readonly Operator[] = ['contains', 'not_contains', 'starts_with', 'ends_with'];
const unary: readonly Operator[] = ['is_set', 'is_not_set'];

export function ConditionEditor({ type, condition, onSave }: Props) {
  const id = useId();
  const [about, setAbout] = useState(() => (condition === undefined ? '' : aboutOf(type, condition)));
  const property = type.byName.get(about);
  const links = linkChoices(type);
  const link = links.find(({ key }) => `>${key}` === about);
  return (
    <div className="editor condition">
      <label className="label" htmlFor={id}>
        {texts.where}
      </label>
      <select id={id} className="input" value={about} onChange={(event) => setAbout(event.target.value)}>
        <option value="" disabled>
          {texts.choose}
        </option>
        <optgroup label={texts.properties}>
          {type.properties.map(({ name, label }) => (
            <option key={name} value={name}>
              {label}
            </option>
          ))}
        </optgroup>
        <optgroup label={texts.links}>
          {links.map(({ key, label }) => (
            <option key={key} value={`>${key}`}>
              {label}
            </option>
          ))}
        </optgroup>
      </select>
      {property !== undefined && (
        <PropertyCondition
          key={property.name}
          property={property}
          {...(condition !== undefined && 'property' in condition && condition.property === property.name
            ? { condition }
            : {})}
          onSave={onSave}
        />
      )}
      {link !== undefined && <LinkCondition key={link.key} choice={link} onSave={onSave} />}
    </div>
  );
}

/** Nothing for a condition that this form cannot make: another one takes its place. */
function aboutOf(type: TypeDetail, condition: Condition): string {
  if ('property' in condition) return condition.property;
  return 'association' in condition ? `>${keyOfLink(type, condition)}` : '';
}

function PropertyCondition({
  property,
  condition,
  onSave,
}: {
  readonly property: KnownProperty;
  readonly condition?: Compared;
  readonly onSave: (condition: Condition) => void;
}) {
  const operators = property.type.filter_operators;
  const [operator, setOperator] = useState<Operator>(condition?.operator ?? firstOperator(property));
  const [values, setValues] = useState<readonly (Single | undefined)[]>(() => startValues(condition?.value));
  const set = values.filter((value): value is Single => value !== undefined);
  const isMany = operator === 'in' || operator === 'not_in';
  const needed = unary.includes(operator) ? 0 : operator === 'between' ? 2 : 1;
  const save = () => {
    if (set.length < needed) return;
    const { name } = property;
    if (needed === 0) onSave({ property: name, operator });
    else if (isMany) onSave({ property: name, operator, value: set });
    else if (operator === 'between') onSave({ property: name, operator, value: set.slice(0, 2) });
    else onSave({ property: name, operator, value: set[0] });
  };
  return (
    <form
      className="condition-form"
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <select
        className="input"
        aria-label={texts.operator}
        value={operator}
        onChange={(event) => setOperator(event.target.value as Operator)}
      >
        {operators.map((each) => (
          <option key={each} value={each}>
            {operatorText(each, property)}
          </option>
        ))}
      </select>
      {needed > 0 && (
        <ConditionValues property={property} operator={operator} values={values} onChange={setValues} isMany={isMany} />
      )}
      <div className="editor-foot">
        <span className="grow" />
        <button type="submit" className="button primary small" disabled={set.length < needed}>
          {texts.apply}
        </button>
      </div>
    </form>
  );
}

/** What people ask most about the type. */
function firstOperator({ type, options }: KnownProperty): Operator {
  const wanted: readonly Operator[] = options === undefined ? ['contains', 'eq', 'gte', 'is_set'] : ['in'];
  return wanted.find((operator) => type.filter_operators.includes(operator)) ?? 'is_set';
}

function startValues(value: unknown): readonly (Single | undefined)[] {
  if (value === undefined) return [undefined];
  return (Array.isArray(value) ? value : [value]) as readonly Single[];
}

function ConditionValues({
  property,
  operator,
  values,
  onChange,
  isMany,
}: {
  readonly property: KnownProperty;
  readonly operator: Operator;
  readonly values: readonly (Single | undefined)[];
  readonly onChange: (values: readonly (Single | undefined)[]) => void;
  readonly isMany: boolean;
}) {
  const id = useId();
  if (partial.includes(operator)) {
    return (
      <input
        className="input"
        aria-label={property.label}
        value={typeof values[0] === 'string' ? values[0] : ''}
        onChange={(event) => onChange([event.target.value === '' ? undefined : event.target.value])}
      />
    );
  }
  if (isMany && property.options !== undefined) {
    return (
      <fieldset className="choices">
        <legend className="sr-only">{property.label}</legend>
        {property.options.map(({ value, label }) => (
          <label key={value} className="choice">
            <input
              type="checkbox"
              checked={values.includes(value)}
              onChange={(event) =>
                onChange(event.target.checked ? [...values, value] : values.filter((each) => each !== value))
              }
            />
            {label}
          </label>
        ))}
      </fieldset>
    );
  }
  const { Edit } = fieldOf(property.field_type);
  const lines = operator === 'between' ? [values[0], values[1]] : isMany ? values : [values[0]];
  return (
    <>
      {lines.map((value, index) => (
        <Edit
          // biome-ignore lint/suspicious/noArrayIndexKey: a line is known by its place.
          key={index}
          id={`${id}-${index}`}
          value={value}
          property={property}
          label={index === 0 ? property.label : `${property.label} ${index + 1}`}
          invalid={false}
          onChange={(next) => onChange(lines.map((each, at) => (at === index ? next : each)))}
        />
      ))}
      {isMany && (
        <Button look="quiet" size="small" icon="plus" onClick={() => onChange([...values, undefined])}>
          {texts.addValue}
        </Button>
      )}
    </>
  );
}
