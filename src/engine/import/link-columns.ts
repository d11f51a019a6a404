// The columns of a file whose cells name records to link to: checked when the import is planned, and found again in the
// schema as it is while the import runs.
import { quoted } from '../../../client/import/described.ts';
import { Failure } from '../../base/failure.ts';
import { nearest } from '../../base/nearest.ts';
import type { AssociationPair } from '../../schema/association-type.ts';
import type { Catalog } from '../../schema/catalog.ts';
import type { ObjectType, Property } from '../../schema/object-type.ts';
import type { LinkUse, PlannedColumn } from './column-use.ts';

export interface LinkColumn {
  readonly index: number;
  readonly header: string;
  readonly use: LinkUse;
  readonly ends: readonly LinkEnd[];
  readonly takesOne: boolean;
}

/** A type to which the links may lead. */
export interface LinkEnd {
  readonly pair: AssociationPair;
  /** Members stand for users, who are no records. */
  readonly type: ObjectType;
  /** By which its records are named: a unique property, or its title; undefined if by their ids. */
  readonly property: Property | undefined;
  /** Of stages: the association types that lead to their pipelines, and the property that is the title of those. */
  readonly pipeline: { readonly associationTypeIds: readonly number[]; readonly key: string } | undefined;
}

/** The pairs that the use of a column may mean. */
type PairsOf = (use: LinkUse) => readonly AssociationPair[];

export function linkColumns(
  catalog: Catalog,
  columns: readonly PlannedColumn[],
  pairsOf: PairsOf,
): readonly LinkColumn[] {
  return columns.flatMap(({ header, use }, index) => {
    if (use.kind !== 'link') return [];
    const pairs = pairsOf(use);
    const takesOne = pairs.some(({ cardinality }) => cardinality === 'many_to_one');
    return [{ index, header, use, takesOne, ends: pairs.flatMap((pair) => endOf(catalog, pair, use) ?? []) }];
  });
}

/** Undefined if the records of that type cannot be named so. */
export function endOf(catalog: Catalog, pair: AssociationPair, { by }: Pick<LinkUse, 'by'>): LinkEnd | undefined {
  const type = targetOf(catalog, pair);
  if (type === undefined) return undefined;
  const pipeline = pipelineOf(catalog, type);
  if (by === 'id' || by === 'external_id') return { pair, type, property: undefined, pipeline };
  const property = type.properties.get(by === 'title' ? (type.titleProperty ?? '') : by);
  if (property === undefined || (by !== 'title' && !property.unique)) return undefined;
  return { pair, type, property, pipeline };
}

/** The type of the records at the other end, members for users. */
export function targetOf({ objectTypes }: Catalog, { targetType }: AssociationPair): ObjectType | undefined {
  return objectTypes.get(targetType === 'svc_user' ? 'svc_member' : targetType);
}

function pipelineOf(catalog: Catalog, type: ObjectType): LinkEnd['pipeline'] {
  for (const { targetType } of catalog.pairs.filter(({ sourceType }) => sourceType === type.name)) {
    const pipeline = catalog.objectTypes.get(targetType);
    const associationTypeIds = catalog.stageRoles(targetType).pipelineOf;
    const title = pipeline?.properties.get(pipeline.titleProperty ?? '');
    if (associationTypeIds.length > 0 && title !== undefined) return { associationTypeIds, key: title.key };
  }
  return undefined;
}

/** Checks what a person has said of a column. `header` is its name. */
export function requireLinkUse(catalog: Catalog, type: ObjectType, header: string, use: LinkUse): LinkUse {
  const column = `The map links by the column ${quoted(header)}`;
  const pairs = catalog.pairsFrom(type.name, use.association);
  if (pairs.length === 0 || pairs.every(({ targetType }) => targetType === 'svc_org')) {
    const names = new Set(catalog.pairs.filter(({ sourceType }) => sourceType === type.name).map(({ name }) => name));
    const near = nearest(use.association, [...names]);
    const sentence = `${column} with ${quoted(use.association)}, which does not begin at ${type.name}.`;
    const fix = near === undefined ? `It has ${[...names].slice(0, 20).join(', ')}.` : `Did you mean "${near}"?`;
    throw new Failure('usage', sentence, fix);
  }
  requireNaming(catalog, header, use, pairs);
  return use;
}

/** Checks by what the column names the targets of the pairs. */
export function requireNaming(catalog: Catalog, header: string, use: LinkUse, pairs: readonly AssociationPair[]): void {
  const column = `The map links by the column ${quoted(header)}`;
  if ((use.by === 'external_id') !== (use.source !== undefined)) {
    const fix = 'External ids need a source: {"by": "external_id", "source": "hubspot"}.';
    throw new Failure('usage', `${column} by ${quoted(use.by)}, and "source" belongs to external ids alone.`, fix);
  }
  const ends = pairs.flatMap((pair) => endOf(catalog, pair, use) ?? []);
  if (ends.length === 0) throw unknownBy(catalog, pairs, column, use);
  if (use.within !== undefined && ends.every(({ pipeline }) => pipeline === undefined)) {
    const sentence = `${column} within ${quoted(use.within)}, but ${use.association} does not lead to stages of pipelines.`;
    throw new Failure('usage', sentence, 'Leave out "within".');
  }
  if (use.missing === 'create') requireCreatable(ends, column, use);
}

function unknownBy(
  catalog: Catalog,
  pairs: readonly AssociationPair[],
  column: string,
  { association, by }: LinkUse,
): Failure {
  const types = pairs.flatMap((pair) => targetOf(catalog, pair) ?? []);
  const unique = types.flatMap(({ properties }) => [...properties.values()].filter((each) => each.unique));
  const known = new Set(['title', 'id', 'external_id', ...unique.map(({ name }) => name)]);
  const sentence = `${column} by ${quoted(by)}, by which no target of ${association} is found.`;
  return new Failure('usage', sentence, `Use ${[...known].slice(0, 20).join(', ')}.`);
}

function requireCreatable(ends: readonly LinkEnd[], column: string, use: LinkUse): void {
  const why = whyNotCreatable(ends, use);
  if (why === undefined) return;
  throw new Failure(
    'usage',
    `${column} and creates what is missing, but ${why}.`,
    'Use "missing": "refuse" or "skip".',
  );
}

/** Why a record cannot be created from the one value that a cell has. */
function whyNotCreatable(ends: readonly LinkEnd[], { association, by, within }: LinkUse): string | undefined {
  const [end, other] = ends;
  if (end === undefined || other !== undefined) return `${association} leads to several types`;
  const { type, property } = end;
  if (within !== undefined) return `a new ${type.label} would be in no pipeline`;
  if (by === 'id' || type.name === 'svc_member') return `a ${type.label} cannot be made from it`;
  const isEnough = type.groups.required.every(({ name }) => name === property?.name);
  if (property !== undefined && type.writableOperations.includes('create') && isEnough) return undefined;
  return `a ${type.label} needs more than that one value`;
}
