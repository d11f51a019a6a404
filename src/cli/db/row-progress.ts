// How far a backup or a restore has come, as rows over all tables, with the table that is at hand.
import type { TellRows } from '../../store/backup/backup.ts';
import { openProgress } from '../terminal/progress.ts';

export interface RowsTold {
  readonly tell: TellRows;
  /** Takes the line off the terminal. */
  end(): void;
}

/** `total` is how many rows there are to be told of, where that is known. */
export function tellRows(total?: number): RowsTold {
  const progress = openProgress('rows');
  let before = 0;
  let at = { place: '', rows: 0 };
  return {
    tell: (step, table, rows) => {
      const place = `${step} ${table}`;
      if (place !== at.place) before += at.rows;
      at = { place, rows };
      const done = before + rows;
      progress.show({ done, note: place, ...(total === undefined ? {} : { fraction: Math.min(1, done / total) }) });
    },
    end: () => progress.clear(),
  };
}
