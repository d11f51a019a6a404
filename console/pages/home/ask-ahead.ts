// What home asks, each question as soon as what it is made from is known, whether home is drawn yet or not: its parts find the
// answers, or what is under way. So nothing waits for an answer that it is not made from.
import type { QueryClient } from '@tanstack/react-query';
import { noteType } from '../../data/activities.ts';
import { groupsQuery } from '../../data/figures/groups.ts';
import { ownerLink } from '../../data/highlights.ts';
import { type Catalog, catalogQuery, stageLinksOf, type TypeDetail, typeQuery } from '../../data/schema.ts';
import { stagesQuery } from '../../data/stages.ts';
import { askedOf, dealType, monthQuestion, stageQuestion, type WhoseOf } from './deals.ts';
import { newestQuery, toldTypes } from './happened.ts';
import { atRiskQuery, riskQuestion, rulesOf, timerType } from './risks.ts';
import { askedTasksOf, countQuestion, nextQuery } from './tasks.ts';

/** The types that its figures are made from, in the order in which they are asked for. */
const figureTypes = [dealType, 'svc_deal_pipeline_stage', timerType, noteType, 'svc_note_pipeline_stage'];

/** Those that the caller sees, of all that home is drawn from. */
export function homeTypes({ types }: Catalog): readonly string[] {
  const drawn = [...figureTypes, ...toldTypes(types).map(({ name }) => name)];
  return [...new Set(drawn)].filter((drawnName) => types.some(({ name }) => name === drawnName));
}

export function whoseOf({ self }: Catalog, isMine: boolean): WhoseOf {
  return (type) => {
    const owner = ownerLink(type);
    if (!isMine || owner === undefined) return [];
    return [{ association: owner.name, operator: 'exists', target_id: self.principal_id }];
  };
}

/** Its types, unless they have just been read. */
export async function readTypesAhead(queries: QueryClient): Promise<void> {
  const catalog = await queries.ensureQueryData(catalogQuery);
  await Promise.all(homeTypes(catalog).map((name) => queries.prefetchQuery(typeQuery(name))));
}

/**
 * Fails if a type cannot be read. Home shows that, and what becomes of each question. Types that have been known for a while
 * are read again when all is answered: what has changed of them changes the questions then.
 */
export async function askAhead(queries: QueryClient, isMine: boolean): Promise<void> {
  const catalog = await queries.ensureQueryData(catalogQuery);
  const types = new Map(homeTypes(catalog).map((name) => [name, readType(queries, name)]));
  const asking: Asking = { queries, whoseOf: whoseOf(catalog, isMine), typeOf: async (name) => types.get(name) };
  const told = toldTypes(catalog.types);
  await Promise.all([askDeals(asking), askTasks(asking), ...told.map(({ name }) => askNewest(asking, name))]);
  await readTypesAhead(queries);
}

/** Not every type is waited for, but home shows each that cannot be read. */
function readType(queries: QueryClient, name: string): Promise<TypeDetail> {
  const reading = queries.ensureQueryData(typeQuery(name));
  reading.catch(() => undefined);
  return reading;
}

interface Asking {
  readonly queries: QueryClient;
  readonly whoseOf: WhoseOf;
  /** Undefined for a type that the caller cannot see. */
  readonly typeOf: (name: string) => Promise<TypeDetail | undefined>;
}

async function askDeals({ queries, whoseOf: whose, typeOf }: Asking): Promise<void> {
  const type = await typeOf(dealType);
  const asked = type && askedOf(type, whose);
  if (asked === undefined) return;
  const group = (question: Parameters<typeof groupsQuery>[1]) => queries.prefetchQuery(groupsQuery(dealType, question));
  const risks = async () => {
    const [stageType, timer] = await Promise.all([typeOf(asked.link.target_type), typeOf(timerType)]);
    if (stageType === undefined) return;
    const rules = rulesOf(asked, timer);
    await Promise.all([
      // Nothing is drawn before the stages are there.
      queries.prefetchQuery(stagesQuery(stageType)),
      ...rules.map((rule) => group(riskQuestion(asked, stageType, rule))),
      queries.prefetchQuery(atRiskQuery(asked, stageType, rules)),
    ]);
  };
  await Promise.all([
    group(stageQuestion(asked)),
    ...(asked.closeDate === undefined ? [] : [group(monthQuestion(asked))]),
    risks(),
  ]);
}

async function askTasks({ queries, whoseOf: whose, typeOf }: Asking): Promise<void> {
  const type = await typeOf(noteType);
  const [status] = type === undefined ? [] : stageLinksOf(type);
  const statusType = status && (await typeOf(status.target_type));
  const asked = type && askedTasksOf(type, statusType, whose);
  if (asked === undefined) return;
  await Promise.all([
    ...(statusType === undefined ? [] : [queries.prefetchQuery(stagesQuery(statusType))]),
    queries.prefetchQuery(groupsQuery(noteType, countQuestion(asked))),
    queries.prefetchQuery(nextQuery(asked)),
  ]);
}

async function askNewest({ queries, typeOf }: Asking, name: string): Promise<void> {
  const type = await typeOf(name);
  if (type !== undefined) await queries.prefetchQuery(newestQuery(name, type));
}
