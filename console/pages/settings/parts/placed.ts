// The writes that give records another order.
import type { Row } from '../../../data/paged-rows.ts';
import { textOf } from './platform.ts';

/** Only those whose place is another one are written. */
export function placed(objectType: string, ids: readonly string[], rows: readonly Row[]) {
  const before = new Map(rows.map((row) => [row.id, textOf(row, 'svc_position')]));
  return ids.flatMap((id, index) => {
    const svc_position = String(index + 1);
    if (before.get(id) === svc_position) return [];
    return [{ operation: 'update', object_type: objectType, id, properties: { svc_position } } as const];
  });
}
