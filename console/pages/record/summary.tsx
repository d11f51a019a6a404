// The line below the title of a record: its amount, what it belongs to, and whose it is.
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { AssociationType } from '../../../client/main.ts';
import { paths } from '../../app/routes.ts';
import { ownerLink, subtitleLink, sumProperty } from '../../data/highlights.ts';
import type { LinkedRow, Row } from '../../data/paged-rows.ts';
import { type TypeDetail, titleOf, useMaybeType } from '../../data/schema.ts';
import { Value } from '../../parts/values/value.tsx';
import { listText } from '../../text/locale.ts';
import { texts } from '../../text/texts.ts';
import { linkedQuery } from './record-data.ts';

export function Summary({ type, row }: { readonly type: TypeDetail; readonly row: Row }) {
  const sum = sumProperty(type);
  const amount = sum === undefined ? undefined : type.byName.get(sum);
  const below = subtitleLink(type);
  const other = useMaybeType(below?.target_type);
  const [first] = useLinked(type, row.id, below);
  const owners = useLinked(type, row.id, ownerLink(type));
  const names = owners.flatMap(({ title }) => title ?? []);
  return (
    <p className="summary">
      {amount !== undefined && row.properties[amount.name] !== undefined && (
        <span className="figures strong">
          <Value value={row.properties[amount.name]} property={amount} />
        </span>
      )}
      {first !== undefined && other !== undefined && (
        <Link href={paths.record(other.name, first.id)} className="linked one-line">
          {titleOf(other, first.properties ?? {}) || texts.noName}
        </Link>
      )}
      {names.length > 0 && <span>{`${names.length === 1 ? texts.owner : texts.owners} ${listText(names)}`}</span>}
    </p>
  );
}

function useLinked(type: TypeDetail, id: string, link: AssociationType | undefined): readonly LinkedRow[] {
  const query = useQuery({ ...linkedQuery(type.name, id, link), enabled: link !== undefined });
  return query.data?.items ?? [];
}
