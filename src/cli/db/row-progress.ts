// The progress of a backup or a restore: rows over all tables, and the current table.
import type { ReportProgress } from '../../store/backup/backup.ts';
import { openProgress } from '../terminal/progress.ts';

interface RowProgress {
  readonly report: ReportProgress;
  /** Removes the line from the terminal. */
  end(): void;
}

/** `total` is the number of rows, if it is known. */
export function openRowProgress(total?: number): RowProgress {
  const progress = openProgress('rows');
  let before = 0;
  let at = { place: '', rows: 0 };
  return {
    report: (step, table, rows) => {
      const place = `${step} ${table}`;
      if (place !== at.place) before += at.rows;
      at = { place, rows };
      const done = before + rows;
      progress.show({ done, note: place, ...(total === undefined ? {} : { fraction: Math.min(1, done / total) }) });
    },
    end: () => progress.clear(),
  };
}
