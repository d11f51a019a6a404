// The foot of a table: its order, and how many rows there are for those who ask. Nothing counts unasked.
import { useState } from 'react';
import type { AnySchema, Filter } from '../../../client/main.ts';
import { api } from '../../data/api.ts';
import { asText } from '../../data/as-text.ts';
import type { TypeDetail } from '../../data/schema.ts';
import type { View } from '../../data/view.ts';
import { messages } from '../../parts/toasts.tsx';
import { numberText } from '../../text/locale.ts';
import { texts } from '../../text/texts.ts';

interface Props {
  readonly type: TypeDetail;
  readonly view: View;
  readonly filter: Filter<AnySchema, string> | undefined;
  readonly isComplete: boolean;
}

export function TableFoot({ type, view, filter, isComplete }: Props) {
  const key = JSON.stringify([type.name, view.search, filter]);
  const [counted, setCounted] = useState<{ readonly key: string; readonly count: string }>();
  const count = async () => {
    const search = view.search.trim();
    const question = {
      aggregations: [{ function: 'count' as const }],
      ...(filter === undefined ? {} : { filter }),
      ...(search === '' ? {} : { search }),
    };
    try {
      const [group] = await api.records(type.name).aggregate(question).toArray(1);
      setCounted({ key, count: asText(group?.values['count'], '0') });
    } catch (error) {
      messages.failed(error);
    }
  };
  const sorted = view.sort === undefined ? undefined : type.byName.get(view.sort.property);
  const order =
    sorted === undefined
      ? texts.noSort
      : texts.sortedBy(sorted.label, view.sort?.direction === 'desc' ? 'desc' : 'asc');
  return (
    <footer className="table-foot">
      <span>{order}</span>
      <span className="grow" />
      <span>{isComplete ? texts.end : texts.moreLoad}</span>
      {counted?.key === key ? (
        <span className="figures" role="status">
          {texts.rows(numberText(counted.count))}
        </span>
      ) : (
        <button type="button" className="text-button" onClick={() => void count()}>
          {texts.countRows}
        </button>
      )}
    </footer>
  );
}
