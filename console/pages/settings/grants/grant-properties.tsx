// The properties of a type that is granted: each is shown, locked or hidden. Hide is inverted, as the choice to notice.
import { useState } from 'react';
import type { ObjectType } from '../../../../client/main.ts';
import { useMaybeType } from '../../../data/schema.ts';
import type { KnownProperty } from '../../../fields/field.ts';
import { Bars } from '../../../parts/loading.tsx';
import { grantTexts } from '../../../text/grant-texts.ts';
import { type Given, type PropertyState, stateOf, withState } from './grants.ts';

interface Props {
  readonly type: ObjectType;
  readonly given: Given;
  /** Everything of the type is granted by another line, so nothing can be hidden here. */
  readonly isShownAnyway: boolean;
  readonly onChange: ((given: Given) => void) | undefined;
}

const shownAtFirst = 10;
/** The dates of a record are always there. */
const never: readonly string[] = ['svc_created_at', 'svc_updated_at'];

export function GrantProperties({ type, given, isShownAnyway, onChange }: Props) {
  const detail = useMaybeType(type.name);
  const [isWhole, setWhole] = useState(false);
  if (detail === undefined) return <Bars count={2} />;
  if (isShownAnyway) return <p className="quiet">{grantTexts.shownAnyway}</p>;
  const all = detail.properties.filter(({ name }) => !never.includes(name));
  const isMarked = ({ name }: KnownProperty) => stateOf(given, name) !== 'show';
  const shown = isWhole ? all : all.filter((property, at) => at < shownAtFirst || isMarked(property));
  return (
    <>
      <ul className="grants-states">
        {shown.map((property) => (
          <StateLine
            key={property.name}
            property={property}
            state={stateOf(given, property.name)}
            onChoose={
              onChange === undefined ? undefined : (state) => onChange(withState(given, [property.name], state))
            }
          />
        ))}
      </ul>
      <div className="grants-foot">
        {shown.length < all.length && (
          <button type="button" className="text-button" onClick={() => setWhole(true)}>
            {grantTexts.moreProperties(all.length - shown.length)}
          </button>
        )}
        <span className="grow" />
        {onChange !== undefined && (
          <button
            type="button"
            className="text-button"
            onClick={() =>
              onChange(
                withState(
                  given,
                  all.filter(({ required }) => !required).map(({ name }) => name),
                  'hide',
                ),
              )
            }
          >
            {grantTexts.hideRest}
          </button>
        )}
      </div>
    </>
  );
}

function StateLine({
  property,
  state,
  onChoose,
}: {
  readonly property: KnownProperty;
  readonly state: PropertyState;
  readonly onChoose: ((state: PropertyState) => void) | undefined;
}) {
  const { name, label, type, read_only: readOnly } = property;
  // What nobody writes needs no lock.
  const states = (['show', 'lock', 'hide'] as const).filter((each) => each !== 'lock' || !readOnly);
  return (
    <li data-state={state}>
      <span className="grants-property one-line" title={name}>
        {label}
      </span>
      <span className="quiet one-line">{type.label.toLowerCase()}</span>
      <span className="grow" />
      <span className="states" role="group" aria-label={label}>
        {states.map((each) => (
          <button
            key={each}
            type="button"
            aria-pressed={state === each}
            data-hide={each === 'hide' || undefined}
            disabled={onChoose === undefined}
            onClick={() => onChoose?.(each)}
          >
            {grantTexts.states[each]}
          </button>
        ))}
      </span>
    </li>
  );
}
