// A new record of a type: its title and what it must have first, the rest on demand. What was refused stays as it was typed.
import { useId, useState } from 'react';
import { useLocation } from 'wouter';
import type { Value } from '../../client/main.ts';
import { OrreryProblem } from '../../client/main.ts';
import { paths } from '../app/routes.ts';
import { api } from '../data/api.ts';
import { type TypeDetail, titleProperties } from '../data/schema.ts';
import type { KnownProperty, Single } from '../fields/field.ts';
import { fieldOf, isKnown } from '../fields/index.ts';
import { texts } from '../text/texts.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { messages } from './toasts.tsx';
import { Problem } from './values/value-editor.tsx';

interface Props {
  readonly type: TypeDetail;
  /** Links that the new record gets, such as its stage. */
  readonly links?: readonly { readonly association_type: string; readonly target_id: string }[];
  readonly onClose: () => void;
  readonly onCreated: () => void;
}

const shownAtFirst = 6;

export function CreateDialog({ type, links = [], onClose, onCreated }: Props) {
  const id = useId();
  const [values, setValues] = useState<Readonly<Record<string, Single | undefined>>>({});
  const [isWhole, setWhole] = useState(false);
  const [state, setState] = useState<{ readonly isSaving: boolean; readonly error: unknown }>({
    isSaving: false,
    error: undefined,
  });
  const [, go] = useLocation();
  const all = editable(type);
  const shown = isWhole ? all : all.slice(0, Math.max(shownAtFirst, all.filter(({ required }) => required).length));
  const save = async (isOpened: boolean) => {
    setState({ isSaving: true, error: undefined });
    const properties = Object.fromEntries(
      Object.entries(values).flatMap(([name, value]): [string, Value][] => {
        if (value === undefined) return [];
        return [[name, (type.byName.get(name)?.multi_valued ? [value] : value) as Value]];
      }),
    );
    try {
      const { data, requestId } = await api
        .records(type.name)
        .create(properties, links.length === 0 ? {} : { associations: links });
      messages.done(texts.created(type.label), requestId);
      onCreated();
      onClose();
      if (isOpened) go(paths.record(type.name, data.id));
    } catch (error) {
      setState({ isSaving: false, error });
    }
  };
  const faulty = new Set(
    state.error instanceof OrreryProblem ? state.error.errors.map(({ property }) => property) : [],
  );
  return (
    <Dialog title={texts.newRecord(type.label)} onClose={onClose}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          void save(true);
        }}
      >
        <div className="form-scroll">
          {shown.map((property, index) => (
            <div className="form-line" key={property.name}>
              <label className="label" htmlFor={`${id}-${property.name}`}>
                {property.label}
                {property.required && <span className="quiet">{` ${texts.required}`}</span>}
              </label>
              <EditOf
                id={`${id}-${property.name}`}
                property={property}
                value={values[property.name]}
                isFirst={index === 0}
                isFaulty={faulty.has(property.name)}
                onChange={(value) => setValues({ ...values, [property.name]: value })}
              />
              {faulty.has(property.name) && <Problem error={state.error} property={property} />}
            </div>
          ))}
          {!isWhole && all.length > shown.length && (
            <Button look="quiet" onClick={() => setWhole(true)}>
              {texts.allProperties(all.length)}
            </Button>
          )}
          {state.error !== undefined && !shown.some(({ name }) => faulty.has(name)) && <Problem error={state.error} />}
        </div>
        <footer className="dialog-foot">
          <Button onClick={onClose}>{texts.cancel}</Button>
          <button type="submit" className="button primary" disabled={state.isSaving}>
            {state.isSaving ? texts.saving : texts.create}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

function EditOf({
  id,
  property,
  value,
  isFirst,
  isFaulty,
  onChange,
}: {
  readonly id: string;
  readonly property: KnownProperty;
  readonly value: Single | undefined;
  readonly isFirst: boolean;
  readonly isFaulty: boolean;
  readonly onChange: (value: Single | undefined) => void;
}) {
  const { Edit } = fieldOf(property.field_type);
  return (
    <Edit
      id={id}
      property={property}
      value={value}
      label={property.label}
      invalid={isFaulty}
      autoFocus={isFirst}
      onChange={onChange}
    />
  );
}

/** The title first, then what is required, then in the order of the schema. */
function editable(type: TypeDetail): readonly KnownProperty[] {
  const titles = titleProperties(type);
  const rank = ({ name, required }: KnownProperty) => (titles.includes(name) ? 0 : required ? 1 : 2);
  return type.properties
    .filter(({ read_only: readOnly, field_type: field }) => !readOnly && isKnown(field))
    .toSorted((one, other) => rank(one) - rank(other));
}
