// The newest records of a type: what home shows to those who see neither deals nor tasks.
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { paths } from '../../app/routes.ts';
import { api } from '../../data/api.ts';
import { asText } from '../../data/as-text.ts';
import type { Row } from '../../data/paged-rows.ts';
import { type TypeDetail, titleOf, titleProperties, useMaybeType } from '../../data/schema.ts';
import { Panel } from '../../parts/figures/panel.tsx';
import { whenText, wholeMomentText } from '../../text/locale.ts';
import { texts } from '../../text/texts.ts';

const rowsMost = 7;
const createdProperty = 'svc_created_at';

export function NewestPanel({ name }: { readonly name: string }) {
  const type = useMaybeType(name);
  return type === undefined ? null : <Newest type={type} />;
}

function Newest({ type }: { readonly type: TypeDetail }) {
  const {
    data = [],
    isPending,
    error,
    refetch,
  } = useQuery({
    queryKey: ['records', type.name, 'home', 'newest'],
    queryFn: async ({ signal }): Promise<readonly Row[]> => {
      const question = {
        sort: [{ property: createdProperty, direction: 'desc' }],
        properties: [...titleProperties(type), createdProperty],
        limit: rowsMost,
      } as const;
      return (await api.records(type.name).query(question, { signal }).first()).data as readonly Row[];
    },
    staleTime: 5_000,
    throwOnError: false,
  });
  return (
    <Panel
      heading={texts.newest(type.plural_label)}
      isPending={isPending}
      error={error}
      onRetry={() => void refetch()}
      foot={
        <Link href={paths.table(type.name)} className="link">
          {texts.allOf(type.plural_label)}
        </Link>
      }
    >
      {data.length === 0 ? (
        <p className="panel-empty">{texts.empty(type.plural_label)}</p>
      ) : (
        <ul className="two-lines">
          {data.map(({ id, properties }) => (
            <li key={id} className="two-line">
              <div className="two-line-text">
                <Link href={paths.record(type.name, id)} className="linked strong one-line">
                  {titleOf(type, properties) || texts.noName}
                </Link>
              </div>
              <time className="two-line-end quiet" title={wholeMomentText(asText(properties[createdProperty]))}>
                {whenText(asText(properties[createdProperty]))}
              </time>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
