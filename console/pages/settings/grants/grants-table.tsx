// What a key or a role may do: a table of types and operations, and the properties of each type. An operation that a type lacks,
// or that the caller does not have, has no box.
import { useState } from 'react';
import type { ObjectType } from '../../../../client/main.ts';
import { useCatalog } from '../../../data/schema.ts';
import { Icon, typeIcon } from '../../../parts/icon.tsx';
import { grantTexts } from '../../../text/grant-texts.ts';
import { texts } from '../../../text/texts.ts';
import { GrantProperties } from './grant-properties.tsx';
import {
  everyPlatformType,
  everyType,
  type Given,
  type Grants,
  givenOf,
  inOrder,
  nothing,
  operations,
  withOperation,
  wordOf,
} from './grants.ts';

interface Props {
  readonly grants: Grants;
  /** Undefined if they are only shown. */
  readonly onChange: ((grants: Grants) => void) | undefined;
}

/** A line of the table: a type, or a word for many. */
interface Line {
  readonly name: string;
  readonly label: string;
  readonly type: ObjectType | undefined;
}

const shownAtFirst = 12;

export function GrantsTable({ grants, onChange }: Props) {
  const lines = useLines(grants);
  const [words, setWords] = useState('');
  const [isWhole, setWhole] = useState(false);
  const wanted = words.trim().toLowerCase();
  const found = lines.filter(({ label, name }) => `${label} ${name}`.toLowerCase().includes(wanted));
  const shown =
    isWhole || wanted !== '' ? found : found.filter((line, at) => at < shownAtFirst || grants.has(line.name));
  const change = (name: string, given: Given) => onChange?.(new Map(grants).set(name, given));
  return (
    <>
      <div className="settings-part-head">
        <h2>{grantTexts.whatItMay}</h2>
        <span className="grow" />
        <label className="search-box">
          <Icon name="search" />
          <input
            type="search"
            aria-label={grantTexts.findType}
            placeholder={grantTexts.findType}
            value={words}
            onChange={(event) => setWords(event.target.value)}
          />
        </label>
      </div>
      <div className="grants-scroll">
        <table className="grants" aria-label={grantTexts.whatItMay}>
          <thead>
            <tr>
              <th scope="col">{texts.type}</th>
              {operations.map((operation) => (
                <th key={operation} scope="col">
                  {grantTexts.operations[operation]}
                </th>
              ))}
              <th scope="col" className="end">
                {texts.properties}
              </th>
            </tr>
          </thead>
          {shown.map((line) => (
            <TypeLines key={line.name} line={line} grants={grants} mayChange={onChange !== undefined} change={change} />
          ))}
        </table>
      </div>
      {shown.length === 0 && <p className="note-box">{texts.nothingFound}</p>}
      {shown.length < found.length && (
        <button type="button" className="text-button grants-more" onClick={() => setWhole(true)}>
          {grantTexts.moreTypes(found.length - shown.length)}
        </button>
      )}
      <p className="settings-intro quiet grants-note">{grantTexts.note}</p>
    </>
  );
}

/** The words first, then the types; those that are named and no longer there last. */
function useLines(grants: Grants): readonly Line[] {
  const { types } = useCatalog();
  const words: readonly Line[] = [
    { name: everyType, label: grantTexts.everyType, type: undefined },
    ...(types.some(({ category }) => category === 'platform')
      ? [{ name: everyPlatformType, label: grantTexts.everyPlatformType, type: undefined }]
      : []),
  ];
  const known = inOrder(types).map((type): Line => ({ name: type.name, label: type.plural_label, type }));
  const names = new Set([...words, ...known].map(({ name }) => name));
  const gone = [...grants.keys()].filter((name) => !names.has(name));
  return [...words, ...known, ...gone.map((name): Line => ({ name, label: name, type: undefined }))];
}

interface TypeLinesProps {
  readonly line: Line;
  readonly grants: Grants;
  readonly mayChange: boolean;
  readonly change: (name: string, given: Given) => void;
}

function TypeLines({ line, grants, mayChange, change }: TypeLinesProps) {
  const { name, label, type } = line;
  const [isOpen, setOpen] = useState(false);
  const own = grants.get(name) ?? nothing;
  const implied = type === undefined ? nothing : (grants.get(wordOf(type)) ?? nothing);
  const all = type === undefined ? own : givenOf(grants, type);
  const writable: readonly string[] = type?.writable_operations ?? operations;
  const isGiven = all.operations.size > 0;
  return (
    <tbody data-open={isOpen || undefined}>
      <tr>
        <th scope="row">
          <span className="cell-line">
            <Icon name={type === undefined ? (name === everyPlatformType ? 'settings' : 'box') : typeIcon(type)} />
            <span className="one-line" title={name}>
              {label}
            </span>
          </span>
        </th>
        {operations.map((operation) => {
          if (operation !== 'read' && !writable.includes(operation)) return <td key={operation} />;
          const isImplied =
            implied.operations.has(operation) ||
            (operation === 'read' && all.operations.size > (all.operations.has('read') ? 1 : 0));
          const isTicked = isImplied || own.operations.has(operation);
          return (
            <td key={operation}>
              <input
                type="checkbox"
                className={isImplied ? 'implied' : undefined}
                aria-label={grantTexts.box(grantTexts.operations[operation], label)}
                checked={isTicked}
                disabled={isImplied || !mayChange}
                title={isImplied ? grantTexts.implied : undefined}
                onChange={(event) => change(name, withOperation(own, operation, event.target.checked))}
              />
            </td>
          );
        })}
        <td className="end">
          {type !== undefined && isGiven && (
            <button
              type="button"
              className="text-button grants-properties"
              aria-expanded={isOpen}
              aria-label={grantTexts.propertiesOf(label, propertiesText(all))}
              onClick={() => setOpen(!isOpen)}
            >
              {propertiesText(all)}
              <Icon name={isOpen ? 'up' : 'down'} />
            </button>
          )}
        </td>
      </tr>
      {isOpen && type !== undefined && isGiven && (
        <tr>
          <td colSpan={7} className="grants-open">
            <div className="grants-box">
              <GrantProperties
                type={type}
                given={own}
                isShownAnyway={implied.operations.size > 0}
                onChange={mayChange ? (given) => change(name, given) : undefined}
              />
            </div>
          </td>
        </tr>
      )}
    </tbody>
  );
}

function propertiesText({ hidden, locked }: Given): string {
  const parts = [
    ...(hidden.size === 0 ? [] : [grantTexts.hidden(hidden.size)]),
    ...(locked.size === 0 ? [] : [grantTexts.locked(locked.size)]),
  ];
  return parts.length === 0 ? grantTexts.allProperties : parts.join(', ');
}
