// Builds a condition about an association: that there is any link, none, or one with a record that is looked for.
import { useState } from 'react';
import type { AssociationType } from '../../../client/main.ts';
import { otherEnd, searchedType } from '../../data/other-end.ts';
import { type TypeDetail, useCatalog, useMaybeType } from '../../data/schema.ts';
import type { Condition, LinkedCondition } from '../../data/view.ts';
import { texts } from '../../text/texts.ts';
import { Button } from '../button.tsx';
import { RecordSearch } from '../record-search.tsx';

/** The associations of a type, each once; where both ends have the type, once for each direction. */
export interface LinkChoice {
  readonly key: string;
  readonly label: string;
  readonly pairs: readonly AssociationType[];
}

export function linkChoices({ links, name }: TypeDetail): readonly LinkChoice[] {
  const choices = new Map<string, LinkChoice>();
  for (const link of links) {
    const isLoop = link.source_type === link.target_type && link.source_type === name;
    const key = isLoop ? `${link.name} ${link.direction}` : link.name;
    const label = isLoop && link.direction === 'incoming' ? texts.from(link.label) : link.label;
    choices.set(key, { key, label, pairs: [...(choices.get(key)?.pairs ?? []), link] });
  }
  return [...choices.values()];
}

export function keyOfLink({ links, name }: TypeDetail, condition: LinkedCondition): string {
  const isLoop = links.some(
    (link) => link.name === condition.association && link.source_type === link.target_type && link.source_type === name,
  );
  return isLoop ? `${condition.association} ${condition.direction ?? 'outgoing'}` : condition.association;
}

interface Props {
  readonly choice: LinkChoice;
  readonly onSave: (condition: Condition) => void;
}

export function LinkCondition({ choice, onSave }: Props) {
  const { types } = useCatalog();
  const pairs = choice.pairs.filter((pair) => types.some(({ name }) => name === searchedType(pair)));
  const [end, setEnd] = useState(pairs[0] === undefined ? '' : otherEnd(pairs[0]));
  const pair = pairs.find((each) => otherEnd(each) === end);
  const other = useMaybeType(pair === undefined ? undefined : searchedType(pair));
  const [link] = choice.pairs;
  if (link === undefined) return null;
  const isLoop = choice.key !== link.name;
  const base = { association: link.name, ...(isLoop ? { direction: link.direction } : {}) } as const;
  return (
    <>
      <div className="editor-foot">
        {(['exists', 'not_exists'] as const).map((operator) => (
          <Button key={operator} size="small" onClick={() => onSave({ ...base, operator })}>
            {operator === 'exists' ? texts.isSet : texts.isNotSet}
          </Button>
        ))}
      </div>
      {pairs.length > 1 && (
        <select className="input" aria-label={texts.type} value={end} onChange={(event) => setEnd(event.target.value)}>
          {pairs.map((each) => (
            <option key={otherEnd(each)} value={otherEnd(each)}>
              {types.find(({ name }) => name === otherEnd(each))?.label ?? otherEnd(each)}
            </option>
          ))}
        </select>
      )}
      {other !== undefined && (
        <RecordSearch
          key={other.name}
          type={other}
          onChoose={({ id }) => onSave({ ...base, operator: 'exists', target_id: id })}
        />
      )}
    </>
  );
}
