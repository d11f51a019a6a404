// What every ready-made report has: its requests, and itself as CSV.
import { cellOf, saveCsv } from '../../data/csv.ts';
import type { GroupQuestion } from '../../data/figures/groups.ts';
import { literal, type ShownRequest } from '../../data/request-text.ts';
import { Button } from '../../parts/button.tsx';
import { RequestButton } from '../../parts/page-head.tsx';
import { texts } from '../../text/texts.ts';
import type { BarRow } from './bar-list.tsx';

export interface Asked {
  readonly title: string;
  readonly type: string;
  readonly question: GroupQuestion;
}

interface Props {
  readonly name: string;
  readonly asked: readonly Asked[];
  readonly heads: readonly string[];
  readonly rows: readonly BarRow[];
}

export function Tools({ name, asked, heads, rows }: Props) {
  const save = () => {
    const lines = [heads, ...rows.map((row) => [row.name, row.value, ...(row.more === undefined ? [] : [row.more])])];
    saveCsv(`${lines.map((cells) => cells.map((cell) => cellOf(cell, false)).join()).join('\r\n')}\r\n`, `${name}.csv`);
  };
  return (
    <>
      <RequestButton request={asked.map(requestOf)} />
      <Button look="quiet" size="small" icon="download" disabled={rows.length === 0} onClick={save}>
        {texts.csv}
      </Button>
    </>
  );
}

function requestOf({ title, type, question }: Asked): ShownRequest {
  return {
    title,
    method: 'POST',
    path: `/objects/${type}/records/aggregate/`,
    body: question,
    code: `console.log(await client.records(${JSON.stringify(type)}).aggregate(${literal(question)}).toArray(1_000));`,
  };
}
