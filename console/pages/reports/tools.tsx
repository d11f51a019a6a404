// What every ready-made report has: its requests, and itself as CSV.
import { cellOf, saveCsv } from '../../data/csv.ts';
import { type GroupQuestion, groupsRequest } from '../../data/figures/groups.ts';
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
  /** Of the file: they name the units. */
  readonly heads: readonly string[];
  readonly rows: readonly BarRow[];
}

export function Tools({ name, asked, heads, rows }: Props) {
  const save = () => {
    const lines = [
      heads.map((head) => cellOf(head, false)),
      ...rows.map((row) => [cellOf(row.name, false), ...row.exact.map((number) => cellOf(number, true))]),
    ];
    saveCsv(`${lines.map((cells) => cells.join()).join('\r\n')}\r\n`, `${name}.csv`);
  };
  return (
    <>
      <RequestButton
        request={asked.map(({ title, type, question }) => ({ title, ...groupsRequest(type, question) }))}
      />
      <Button look="quiet" size="small" icon="download" disabled={rows.length === 0} onClick={save}>
        {texts.csv}
      </Button>
    </>
  );
}
