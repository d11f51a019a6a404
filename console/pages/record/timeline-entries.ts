// The entries of a timeline, from the records that are linked and from the change feed.
import { useQueries, useQuery } from '@tanstack/react-query';
import type { AssociationType, Change } from '../../../client/main.ts';
import { paths } from '../../app/routes.ts';
import { isTold, momentOf } from '../../data/activities.ts';
import { otherEnd, useTitles } from '../../data/other-end.ts';
import type { Row } from '../../data/paged-rows.ts';
import { stageLinksOf, type TypeDetail, titleOf, typeQuery, useCatalog, useMaybeType } from '../../data/schema.ts';
import { useStages } from '../../data/stages.ts';
import { type IconName, typeIcon } from '../../parts/icon.tsx';
import { valueText } from '../../parts/values/value.tsx';
import { dateText, localInputText } from '../../text/locale.ts';
import { texts } from '../../text/texts.ts';
import { activitiesQuery, historyQuery } from './record-data.ts';

export interface Entry {
  readonly key: string;
  readonly at: string;
  readonly kind: 'activity' | 'note' | 'change';
  readonly icon: IconName;
  readonly title?: string;
  /** What it was and what it is. */
  readonly before?: string;
  readonly after?: string;
  /** Who did it. */
  readonly by?: string;
  readonly tag?: string;
  readonly text?: string;
  readonly href?: string;
}

/** Newest first. */
export function useEntries(type: TypeDetail, id: string): readonly Entry[] {
  const entries = [...useActivities(type, id), ...useChanges(type, id)];
  return entries.toSorted((one, other) => Date.parse(other.at) - Date.parse(one.at));
}

function useActivities(type: TypeDetail, id: string): readonly Entry[] {
  const catalog = useCatalog();
  const links = type.links.filter((link) => {
    const other = catalog.types.find(({ name }) => name === otherEnd(link));
    return link.direction === 'incoming' && other !== undefined && isTold(other);
  });
  const types = useQueries({ queries: links.map((link) => typeQuery(otherEnd(link))) });
  const lists = useQueries({
    queries: links.map((link, index) => activitiesQuery(type.name, id, link, types[index]?.data)),
  });
  return links.flatMap((_, index) => {
    const other = types[index]?.data;
    return other === undefined ? [] : (lists[index]?.data ?? []).map((item) => activityEntry(item, other));
  });
}

function activityEntry({ id, properties }: Row, type: TypeDetail): Entry {
  const textOf = (name: string) => {
    const value = properties[name];
    return typeof value === 'string' ? value : undefined;
  };
  const text = textOf('svc_summary') ?? textOf('svc_body');
  const due = textOf('svc_due_at');
  return {
    key: id,
    at: textOf(momentOf(type) ?? '') ?? textOf('svc_created_at') ?? '',
    kind: type.kind === 'activity' ? 'activity' : 'note',
    icon: typeIcon(type),
    title: titleOf(type, properties) || type.label,
    ...(due === undefined ? {} : { tag: texts.due(dateText(localInputText(due).slice(0, 10))) }),
    ...(text === undefined ? {} : { text }),
    href: paths.record(type.name, id),
  };
}

function useChanges(type: TypeDetail, id: string): readonly Entry[] {
  const { data = [] } = useQuery(historyQuery(type.name, id));
  const [stageLink] = stageLinksOf(type);
  const stages = useStages(useMaybeType(stageLink?.target_type));
  const people = useTitles(
    useMaybeType('svc_member'),
    data.map(({ principal_id: principal }) => principal),
  );
  const stageName = (stageId: string | undefined) => stages.find((stage) => stage.id === stageId)?.name;
  const left = new Map(
    data.flatMap((change) =>
      change.type === 'association.deleted' && change.association_type === stageLink?.name
        ? [[change.request_id, change.target_id] as const]
        : [],
    ),
  );
  return data.flatMap((change) => {
    const by = people.get(change.principal_id);
    const signed = by === undefined || by === '' ? {} : { by };
    return entriesOf(change, type, stageLink, (moved) => ({
      before: stageName(left.get(moved.request_id)),
      after: stageName(moved.target_id),
    })).map((entry) => ({ ...entry, ...signed }));
  });
}

type StagesOf = (change: Change) => { readonly before: string | undefined; readonly after: string | undefined };

function entriesOf(
  change: Change,
  type: TypeDetail,
  stageLink: AssociationType | undefined,
  stagesOf: StagesOf,
): readonly Entry[] {
  const { id, at } = change;
  const base = { at, kind: 'change' } as const;
  if (change.type === 'record.updated') {
    return Object.entries(change.changed ?? {}).flatMap(([name, values]): Entry[] => {
      const property = type.byName.get(name);
      if (property === undefined || name === 'svc_updated_at') return [];
      const before = values.old === undefined ? {} : { before: valueText(values.old, property) };
      const after = values.new === undefined ? texts.nothing : valueText(values.new, property);
      return [{ ...base, key: `${id} ${name}`, icon: 'edit', title: property.label, ...before, after }];
    });
  }
  if (change.type === 'association.created' && change.association_type === stageLink?.name) {
    const { before, after } = stagesOf(change);
    const named = { ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) };
    return [
      { ...base, key: id, icon: 'stages', ...(before === undefined ? { title: texts.stageTitle } : {}), ...named },
    ];
  }
  if (change.type === 'record.created' || change.type === 'record.restored') {
    const title = change.type === 'record.created' ? texts.wasCreated : texts.wasRestored;
    return [{ ...base, key: id, icon: 'plus', title }];
  }
  return [];
}
