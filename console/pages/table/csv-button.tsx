// Saves the view as CSV.
import { useState } from 'react';
import type { AnySchema, Query } from '../../../client/main.ts';
import { downloadCsv } from '../../data/csv.ts';
import type { TypeDetail } from '../../data/schema.ts';
import type { Column } from '../../data/view.ts';
import { Button } from '../../parts/button.tsx';
import { messages } from '../../parts/toasts.tsx';
import { texts } from '../../text/texts.ts';

interface Props {
  readonly type: TypeDetail;
  readonly columns: readonly Column[];
  readonly question: Query<AnySchema, string>;
}

export function CsvButton({ type, columns, question }: Props) {
  const [rows, setRows] = useState<number>();
  const save = async () => {
    setRows(0);
    try {
      const saved = await downloadCsv(type, columns, question, setRows);
      messages.done(saved.hasMore ? texts.csvCut(saved.rows) : texts.csvDone(saved.rows));
    } catch (error) {
      messages.failed(error);
    } finally {
      setRows(undefined);
    }
  };
  return (
    <Button look="quiet" icon="download" disabled={rows !== undefined} onClick={() => void save()}>
      {rows === undefined ? texts.csv : String(rows)}
    </Button>
  );
}
