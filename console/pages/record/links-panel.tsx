// The records that a record is linked with: a list for each association, added by searching, and taken away.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import type { AssociationType } from '../../../client/main.ts';
import { paths } from '../../app/routes.ts';
import { isTold } from '../../data/activities.ts';
import { api } from '../../data/api.ts';
import { otherEnd, searchedType } from '../../data/other-end.ts';
import type { LinkedRow } from '../../data/paged-rows.ts';
import { type TypeDetail, titleOf, useCatalog, useMaybeType } from '../../data/schema.ts';
import { Avatar } from '../../parts/avatar.tsx';
import { Button } from '../../parts/button.tsx';
import { Float } from '../../parts/float.tsx';
import { Icon } from '../../parts/icon.tsx';
import { RecordSearch } from '../../parts/record-search.tsx';
import { messages } from '../../parts/toasts.tsx';
import { texts } from '../../text/texts.ts';
import { linkedQuery } from './record-data.ts';

/** Links worth a list: not the stage, not the org, and not what stands in the timeline. */
export function LinksPanel({ type, id }: { readonly type: TypeDetail; readonly id: string }) {
  const { types } = useCatalog();
  const listed = type.links.filter((link) => {
    const other = types.find(({ name }) => name === searchedType(link));
    return other !== undefined && !link.stage && other.name !== 'svc_stage_timer' && !isTold(other);
  });
  return listed.map((link) => (
    <LinkList key={`${link.direction} ${link.name} ${otherEnd(link)}`} type={type} id={id} link={link} />
  ));
}

interface Props {
  readonly type: TypeDetail;
  readonly id: string;
  readonly link: AssociationType;
}

function LinkList({ type, id, link }: Props) {
  const other = useMaybeType(searchedType(link));
  const [limit, setLimit] = useState<number>();
  const { data } = useQuery(linkedQuery(type.name, id, link, limit));
  const queries = useQueryClient();
  if (other === undefined) return null;
  // A link belongs to its source.
  const mayChange =
    link.writable && (link.direction === 'outgoing' ? type : other).writable_operations.includes('associate');
  const items = data?.items ?? [];
  if (items.length === 0 && !mayChange) return null;
  const ends = (otherId: string) =>
    link.direction === 'outgoing' ? ([type.name, id, otherId] as const) : ([other.name, otherId, id] as const);
  const change = async (otherId: string, operation: 'putAssociation' | 'deleteAssociation') => {
    const [source, from, to] = ends(otherId);
    try {
      const { requestId } = await api.records(source)[operation](from, link.name, to);
      messages.done(operation === 'putAssociation' ? texts.linked : texts.unlinked, requestId);
    } catch (error) {
      messages.failed(error);
    }
    await queries.invalidateQueries({ queryKey: ['records', type.name] });
  };
  const isPeople = otherEnd(link) === 'svc_user';
  const heading = isPeople
    ? texts.owners
    : link.cardinality === 'many_to_one' && link.direction === 'outgoing'
      ? other.label
      : other.plural_label;
  return (
    <section className="panel" data-part="links">
      <header className="panel-head">
        <h2>{heading}</h2>
        {mayChange && (
          <LinkSearch other={other} heading={heading} onChoose={(otherId) => change(otherId, 'putAssociation')} />
        )}
      </header>
      <ul className="linked-list">
        {items.map((item) => (
          <LinkedLine
            key={item.id}
            item={item}
            other={other}
            {...(mayChange ? { onRemove: () => void change(item.id, 'deleteAssociation') } : {})}
          />
        ))}
      </ul>
      {data?.hasMore === true && (
        <button type="button" className="text-button" onClick={() => setLimit(500)}>
          {texts.more}
        </button>
      )}
    </section>
  );
}

function LinkedLine({
  item,
  other,
  onRemove,
}: {
  readonly item: LinkedRow;
  readonly other: TypeDetail;
  readonly onRemove?: () => void;
}) {
  const title = item.title ?? titleOf(other, item.properties ?? {});
  return (
    <li className="linked-line">
      <Avatar name={title || '·'} shape={other.kind === 'person' ? 'round' : 'square'} />
      <Link href={paths.record(other.name, item.id)} className="one-line linked">
        {title || texts.noName}
      </Link>
      {onRemove !== undefined && (
        <Button
          look="quiet"
          icon="close"
          className="linked-remove"
          aria-label={texts.unlink(title)}
          onClick={onRemove}
        />
      )}
    </li>
  );
}

function LinkSearch({
  other,
  heading,
  onChoose,
}: {
  readonly other: TypeDetail;
  readonly heading: string;
  readonly onChoose: (id: string) => Promise<void>;
}) {
  return (
    <Float
      label={texts.addLink(heading)}
      role="dialog"
      className="popup"
      align="end"
      button={{ className: 'button quiet only-icon', label: texts.addLink(heading), content: <Icon name="plus" /> }}
    >
      {(close) => (
        <RecordSearch
          type={other}
          onChoose={({ id }) => {
            close();
            void onChoose(id);
          }}
        />
      )}
    </Float>
  );
}
