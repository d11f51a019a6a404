// A link to the records because of which something cannot be done: their table, with the filter that finds them.
import { Link } from 'wouter';
import { paths } from '../../../app/routes.ts';
import { type Condition, emptyView, writeView } from '../../../data/view.ts';
import { useMay } from './platform.ts';

export function RecordsInTheWay({
  type,
  condition,
  children,
}: {
  readonly type: string;
  readonly condition: Condition;
  readonly children: string;
}) {
  const sees = useMay();
  if (!sees(type)) return null;
  return (
    <Link href={`${paths.table(type)}?${writeView({ ...emptyView, conditions: [condition] })}`} className="link">
      {children}
    </Link>
  );
}
