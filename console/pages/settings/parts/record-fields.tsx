// Fields of a platform record, drawn from its schema: labels, descriptions, options and editors are those of its properties.
import { useId } from 'react';
import type { Value } from '../../../../client/main.ts';
import { OrreryProblem } from '../../../../client/main.ts';
import type { TypeDetail } from '../../../data/schema.ts';
import type { Choice } from '../../../fields/chosen.tsx';
import type { KnownProperty, Single } from '../../../fields/field.ts';
import { fieldOf } from '../../../fields/index.ts';
import { Problem } from '../../../parts/values/value-editor.tsx';
import { settingsTexts } from '../../../text/settings-texts.ts';

export type Values = Readonly<Record<string, Single | undefined>>;

export interface FieldsProps {
  readonly type: TypeDetail;
  /** The properties, in order; those that the caller does not see or may not write are left out. */
  readonly names: readonly string[];
  /** Those that a form needs, though their type does not. */
  readonly needed?: readonly string[];
  /** Values to choose from, where a text is the name of something. */
  readonly choices?: Readonly<Record<string, readonly Choice[]>>;
  readonly values: Values;
  readonly error: unknown;
  readonly onChange: (name: string, value: Single | undefined) => void;
}

export function RecordFields({ type, names, needed = [], choices = {}, values, error, onChange }: FieldsProps) {
  const id = useId();
  const faulty = faultyNames(error);
  const shown = names.flatMap((name) => {
    const property = type.byName.get(name);
    return property === undefined || property.read_only ? [] : [property];
  });
  return shown.map((property, index) => {
    const field = {
      id: `${id}-${property.name}`,
      property,
      value: values[property.name],
      isFirst: index === 0,
      isOptional: !property.required && !needed.includes(property.name),
      isFaulty: faulty.has(property.name),
      onChange: (value: Single | undefined) => onChange(property.name, value),
    };
    return (
      <div className="form-line" key={property.name}>
        {property.field_type === 'boolean' ? (
          <Check {...field} />
        ) : (
          <Line {...field} choices={choices[property.name]} />
        )}
        {property.description !== '' && (
          <p className="field-hint" id={`${field.id}-hint`}>
            {property.description}
          </p>
        )}
        {field.isFaulty && <Problem error={error} property={property} />}
      </div>
    );
  });
}

export function faultyNames(error: unknown): ReadonlySet<string> {
  const faults = error instanceof OrreryProblem ? error.errors : [];
  return new Set(faults.flatMap(({ property }) => (property === undefined ? [] : [property])));
}

interface LineProps {
  readonly id: string;
  readonly property: KnownProperty;
  readonly value: Single | undefined;
  readonly isFirst: boolean;
  readonly isOptional: boolean;
  readonly isFaulty: boolean;
  readonly onChange: (value: Single | undefined) => void;
}

function Check({ id, property, value, onChange }: LineProps) {
  return (
    <label className="check-line">
      <input
        id={id}
        type="checkbox"
        checked={value === true}
        aria-describedby={property.description === '' ? undefined : `${id}-hint`}
        onChange={(event) => onChange(event.target.checked)}
      />
      {property.label}
    </label>
  );
}

function Line({
  id,
  property,
  value,
  choices,
  isFirst,
  isOptional,
  isFaulty,
  onChange,
}: LineProps & { readonly choices: readonly Choice[] | undefined }) {
  const { Edit } = fieldOf(property.field_type);
  return (
    <>
      <label className="label" htmlFor={id}>
        <span>
          {property.label}
          {isOptional && <span className="quiet">{` ${settingsTexts.optional}`}</span>}
        </span>
      </label>
      {choices === undefined ? (
        <Edit
          id={id}
          property={property}
          value={value}
          label={property.label}
          invalid={isFaulty}
          autoFocus={isFirst}
          onChange={onChange}
        />
      ) : (
        <select
          id={id}
          className="input"
          aria-invalid={isFaulty}
          value={typeof value === 'string' ? value : ''}
          onChange={(event) => onChange(event.target.value === '' ? undefined : event.target.value)}
        >
          <option value="" />
          {choices.map((choice) => (
            <option key={choice.value} value={choice.value}>
              {choice.label}
            </option>
          ))}
        </select>
      )}
    </>
  );
}

/** What is sent of a form: only what differs from before; what was cleared is null. */
export function changedValues(before: Values, after: Values): Record<string, Value | null> {
  const names = Object.keys(after).filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  return Object.fromEntries(names.map((name) => [name, (after[name] ?? null) as Value | null]));
}

/** What is sent of a new record. */
export function setValues(values: Values): Record<string, Value> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]): [string, Value][] =>
      value === undefined ? [] : [[name, value as Value]],
    ),
  );
}
