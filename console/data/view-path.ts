// The address of a table with a filter: where a figure leads.
import { paths } from '../app/routes.ts';
import { type Condition, emptyView, writeView } from './view.ts';

export function tablePath(type: string, conditions: readonly Condition[]): string {
  const query = writeView({ ...emptyView, conditions });
  return query === '' ? paths.table(type) : `${paths.table(type)}?${query}`;
}
