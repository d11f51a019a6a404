// Guesses which columns of a file name the record and the stage of a timer. "Deal" is the name of a deal, "Deal id" its id and
// "Contact email" a unique property; "Record" and "Stage" may be of any type.
import { wordsOf } from '../../../../client/import/header-words.ts';
import { knownNames } from '../../../../client/import/known-names.ts';
import type { AssociationPair } from '../../../schema/association-type.ts';
import { timedByIds, timedInIds } from '../../../schema/builtin/association-types.ts';
import type { Catalog } from '../../../schema/catalog.ts';
import type { ObjectType } from '../../../schema/object-type.ts';
import type { LinkUse } from '../column-use.ts';
import { endOf } from '../link-columns.ts';
import { anyRecord, anyStage, timerTypeName } from './columns.ts';

export interface HistoryGuess {
  readonly side: 'record' | 'stage';
  readonly use: LinkUse;
  /** Of several columns the one with the highest rank is used, and all with the highest of all. */
  readonly rank: number;
}

/** By the name of an association type, as export writes it; by id; by a unique property; by title. */
const ranks = { exact: 3, id: 2, unique: 1, title: 0 } as const;
export const exactRank = ranks.exact;

/** Undefined if the header says nothing of a record or a stage. */
export function guessHistoryUse(catalog: Catalog, header: string): HistoryGuess | undefined {
  return exactGuess(catalog, header.trim()) ?? stageGuess(catalog, header) ?? recordGuess(catalog, header);
}

/** A column of an export with links has the ids. */
function exactGuess(catalog: Catalog, header: string): HistoryGuess | undefined {
  const [pair] = catalog.pairsFrom(timerTypeName, header);
  if (pair === undefined) return undefined;
  const use: LinkUse = { kind: 'link', association: header, by: 'id', missing: 'refuse' };
  if (timedByIds.includes(pair.id)) return { side: 'record', use, rank: ranks.exact };
  return timedInIds.includes(pair.id) ? { side: 'stage', use, rank: ranks.exact } : undefined;
}

const stageWords = ['stage', 'status', 'phase', 'step'];

/** The last word says what the cells are of the record or the stage: its id or its name. */
function partsOf(header: string): { readonly words: readonly string[]; readonly by: 'id' | 'title' | undefined } {
  const words = wordsOf(header);
  const last = words.at(-1);
  if (words.length > 1 && last === 'id') return { words: words.slice(0, -1), by: 'id' };
  const isTitle = words.length > 1 && (last === 'name' || last === 'title');
  return isTitle ? { words: words.slice(0, -1), by: 'title' } : { words, by: undefined };
}

function stageGuess(catalog: Catalog, header: string): HistoryGuess | undefined {
  const { words, by = 'title' } = partsOf(header);
  const text = words.join(' ');
  const labels = stagesOf(catalog).map(({ label }) => wordsOf(label).join(' '));
  const owners = typesWithStages(catalog).flatMap(namesOf);
  const of = words.slice(0, -1).join(' ');
  const isStage =
    labels.includes(text) ||
    (stageWords.includes(words.at(-1) ?? '') && (of === '' || ofStages.includes(of) || owners.includes(of)));
  if (!isStage) return undefined;
  return {
    side: 'stage',
    use: { kind: 'link', association: anyStage, by, missing: 'refuse' },
    rank: ranks[by],
  };
}

const ofStages = ['pipeline', 'lifecycle', 'sales'];

function recordGuess(catalog: Catalog, header: string): HistoryGuess | undefined {
  const { words, by } = partsOf(header);
  if (words.join(' ') === 'record') return recordUse(anyRecord, by ?? 'title');
  for (const type of typesWithStages(catalog)) {
    const pair = timerPairTo(catalog, type);
    if (pair === undefined) continue;
    const name = namesOf(type).find((each) => words.join(' ') === each || words.join(' ').startsWith(`${each} `));
    if (name === undefined) continue;
    const rest = words.join(' ').slice(name.length).trim();
    const named = rest === '' ? (by ?? 'title') : by === undefined ? uniqueNamed(type, rest) : undefined;
    if (named !== undefined && endOf(catalog, pair, { by: named }) !== undefined) return recordUse(pair.name, named);
  }
  return undefined;
}

function recordUse(association: string, by: string): HistoryGuess {
  const rank = by === 'id' || by === 'title' ? ranks[by] : ranks.unique;
  return { side: 'record', use: { kind: 'link', association, by, missing: 'refuse' }, rank };
}

function timerPairTo({ pairs }: Catalog, { name }: ObjectType): AssociationPair | undefined {
  return pairs.find(
    ({ id, sourceType, targetType }) => sourceType === timerTypeName && targetType === name && timedByIds.includes(id),
  );
}

/** The unique property that the words mean. */
function uniqueNamed(type: ObjectType, text: string): string | undefined {
  const found = type.groups.unique.find(({ name, label }) =>
    [name, name.replace(/^svc_/, ''), label, ...knownNames(type.name, name).map((known) => known.text)].some(
      (each) => wordsOf(each).join(' ') === text,
    ),
  );
  return found?.name;
}

function typesWithStages({ pairs, objectTypes }: Catalog): readonly ObjectType[] {
  const names = new Set(pairs.filter(({ stage }) => stage).map(({ sourceType }) => sourceType));
  return [...names].flatMap((name) => objectTypes.get(name) ?? []);
}

function stagesOf({ pairs, objectTypes }: Catalog): readonly ObjectType[] {
  const names = new Set(pairs.filter(({ stage }) => stage).map(({ targetType }) => targetType));
  return [...names].flatMap((name) => objectTypes.get(name) ?? []);
}

/** What people call records of the type, in words. */
function namesOf({ name, label, pluralLabel }: ObjectType): readonly string[] {
  const texts = [name, name.replace(/^svc_/, ''), label, pluralLabel, ...(otherNames[name] ?? [])];
  return texts.map((text) => wordsOf(text).join(' '));
}

const otherNames: Readonly<Record<string, readonly string[]>> = {
  svc_deal: ['opportunity'],
  svc_contact: ['person', 'lead'],
  svc_note: ['task'],
};
