// What happened lately: the newest activities and notes, and moves from stage to stage, each type asked for its first few.
import { useQueries } from '@tanstack/react-query';
import type { AnySchema, ObjectType, Query } from '../../../client/main.ts';
import { paths } from '../../app/routes.ts';
import { momentOf, noteType } from '../../data/activities.ts';
import { api } from '../../data/api.ts';
import { linkedTitle, otherEnd } from '../../data/other-end.ts';
import type { Row } from '../../data/paged-rows.ts';
import { knownTypeQuery, type TypeDetail, titleOf, titleProperties, useCatalog } from '../../data/schema.ts';
import { type IconName, typeIcon } from '../../parts/icon.tsx';
import { durationText } from '../../text/locale.ts';
import { texts } from '../../text/texts.ts';
import { timerType } from './risks.ts';

const rowsMost = 7;
/** Kinds of activity that are asked for. */
const typesMost = 3;
/** As many associations as a request can include. */
const linksMost = 5;

export interface Happening {
  readonly key: string;
  readonly at: string;
  readonly icon: IconName;
  readonly title: string;
  readonly below: string;
  readonly href: string;
}

/** Activities that people take part in, notes, and timers, as far as they can be seen. */
export function toldTypes(types: readonly ObjectType[]): readonly ObjectType[] {
  const activities = types.filter(({ kind }) => kind === 'activity');
  const known = activities.toSorted((one, other) => rank(one) - rank(other)).slice(0, typesMost);
  return [...known, ...types.filter(({ name }) => name === noteType || name === timerType)];
}

/** Those with a sign of their own first. */
function rank(type: ObjectType): number {
  return typeIcon(type) === 'box' ? 1 : 0;
}

/** Newest first. `types` are those that are asked. */
export function useHappenings() {
  const { types } = useCatalog();
  const asked = toldTypes(types);
  const details = useQueries({ queries: asked.map(({ name }) => knownTypeQuery(name)) });
  const lists = useQueries({
    queries: asked.map(({ name }, index) => newestQuery(name, details[index]?.data)),
  });
  const failed = [...details, ...lists].find(({ error }) => error !== null);
  const happenings = asked.flatMap((_, index) => {
    const type = details[index]?.data;
    if (type === undefined) return [];
    return (lists[index]?.data ?? []).flatMap((row) => happeningOf(row, type, types) ?? []);
  });
  return {
    types: asked,
    isPending: lists.some(({ isPending }) => isPending),
    error: failed?.error ?? null,
    refetch: () => Promise.all(lists.map(({ refetch }) => refetch())),
    happenings: happenings.toSorted((one, other) => Date.parse(other.at) - Date.parse(one.at)).slice(0, rowsMost),
  };
}

export function newestQuery(name: string, type: TypeDetail | undefined) {
  return {
    // Moments pass while the page is open, and are not part of the question.
    queryKey: ['records', name, 'home', 'newest'],
    queryFn: async ({ signal }: { signal: AbortSignal }): Promise<readonly Row[]> => {
      const moment = type && momentIn(type);
      if (type === undefined || moment === undefined) return [];
      const question: Query<AnySchema, string> = {
        filter: { property: moment, operator: 'lte', value: new Date().toISOString() },
        sort: [{ property: moment, direction: 'desc' }],
        properties: [...titleProperties(type), moment, ...durationOf(type)],
        include: [...new Set(aboutOf(type).map((link) => link.name))].slice(0, linksMost),
        limit: rowsMost,
      };
      return (await api.records(name).query(question, { signal }).first()).data as readonly Row[];
    },
    enabled: type !== undefined,
    staleTime: 5_000,
    throwOnError: false,
  };
}

function momentIn(type: TypeDetail): string | undefined {
  if (type.name !== timerType) return momentOf(type);
  return type.byName.has('svc_left_at') ? 'svc_left_at' : undefined;
}

function durationOf({ name, byName }: TypeDetail): readonly string[] {
  return name === timerType && byName.has('svc_duration_seconds') ? ['svc_duration_seconds'] : [];
}

function aboutOf({ links, name }: TypeDetail) {
  return links.filter(
    ({ direction, source_type: source, stage, target_type: target }) =>
      direction === 'outgoing' && source === name && !stage && target !== 'svc_user' && target !== 'svc_org',
  );
}

function happeningOf(row: Row, type: TypeDetail, types: readonly ObjectType[]): Happening | undefined {
  const at = row.properties[momentIn(type) ?? ''];
  if (typeof at !== 'string') return undefined;
  const linked = aboutOf(type).flatMap((link) => {
    const item = row.associations?.[link.name]?.items.find(({ object_type: other }) => other === otherEnd(link));
    const other = types.find(({ name }) => name === otherEnd(link));
    if (item === undefined || other === undefined) return [];
    return [{ id: item.id, type: other, title: linkedTitle(types, item) || texts.noName }];
  });
  const base = { key: row.id, at };
  if (type.name !== timerType) {
    return {
      ...base,
      icon: typeIcon(type),
      title: titleOf(type, row.properties) || type.label,
      below: [type.label, linked[0]?.title].filter((text) => text !== undefined).join(' · '),
      href: paths.record(type.name, row.id),
    };
  }
  const subject = linked.find((each) => each.type.category !== 'pipeline');
  const stage = linked.find((each) => each.type.category === 'pipeline');
  // A move of what the caller cannot see tells nothing.
  if (subject === undefined || stage === undefined) return undefined;
  const seconds = row.properties['svc_duration_seconds'];
  const time = typeof seconds === 'string' ? durationText(Number(seconds)) : undefined;
  return {
    ...base,
    icon: 'stages',
    title: subject.title,
    below: texts.leftStage(stage.title, time),
    href: paths.record(subject.type.name, subject.id),
  };
}
