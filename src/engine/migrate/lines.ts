// The lines about links, owners, external ids and merges: from their rows, with names in place of numbers, and back to the cells
// of rows.
import type { Catalog } from '../../schema/catalog.ts';
import type { externalIdRows, linkRows, mergeRows, ownerRows } from '../../store/export/everything.ts';
import type { Cells } from '../../store/migrate/copy-stored.ts';
import { type ExternalIdLine, foldedTypes, type LinkLine, type MergeLine, type OwnerLine } from './folder.ts';

type RowOf<Table extends { find(...each: never): Promise<readonly unknown[]> }> = Awaited<
  ReturnType<Table['find']>
>[number];

/** The names of types and association types, and their numbers. */
export class Names {
  readonly #catalog: Catalog;
  readonly #types: ReadonlyMap<number, string>;
  readonly #typeIds: ReadonlyMap<string, number>;

  constructor(catalog: Catalog) {
    const types = foldedTypes(catalog);
    this.#catalog = catalog;
    this.#types = new Map(types.map(({ id, name }) => [id, name]));
    this.#typeIds = new Map(types.map(({ id, name }) => [name, id]));
  }

  linkLine = (row: RowOf<typeof linkRows>): LinkLine => ({
    association_type: this.#catalog.associationNames.get(row.associationTypeId)?.name ?? '',
    source_type: this.#type(row.sourceTypeId),
    source_id: row.sourceId,
    target_type: this.#type(row.targetTypeId),
    target_id: row.targetId,
    associated_at: row.createdAt.toISOString(),
  });

  ownerLine = (row: RowOf<typeof ownerRows>): OwnerLine => ({
    member_id: row.userId,
    object_type: this.#type(row.typeId),
    record_id: row.recordId,
    associated_at: row.createdAt.toISOString(),
  });

  externalIdLine = (row: RowOf<typeof externalIdRows>): ExternalIdLine => ({
    object_type: this.#type(row.typeId),
    source: row.source,
    external_id: row.externalId,
    record_id: row.recordId,
  });

  mergeLine = (row: RowOf<typeof mergeRows>): MergeLine => ({
    object_type: this.#type(row.typeId),
    duplicate_id: row.duplicateId,
    kept_id: row.keptId,
    parted: row.parted,
  });

  /** The cells of a line, or why it is refused. */
  linkCells = (line: LinkLine): Cells | string => {
    const pairs = this.#catalog.pairsFrom(line.source_type, line.association_type);
    const pair = pairs.find(({ targetType }) => targetType === line.target_type);
    const [source, target] = [this.#typeIds.get(line.source_type), this.#typeIds.get(line.target_type)];
    if (pair === undefined || source === undefined || target === undefined) {
      return `${line.association_type} does not lead from ${line.source_type} to ${line.target_type}`;
    }
    return [pair.id, source, line.source_id, target, line.target_id, line.associated_at];
  };

  /** The member need not be there: one that was purged from the trash is still named as the owner of its records. */
  ownerCells = (line: OwnerLine): Cells | string =>
    this.#withType(line, (typeId) => [line.member_id, typeId, line.record_id, line.associated_at]);

  externalIdCells = (line: ExternalIdLine): Cells | string =>
    this.#withType(line, (typeId) => [typeId, line.source, line.external_id, line.record_id]);

  mergeCells = (line: MergeLine): Cells | string =>
    this.#withType(line, (typeId) => [typeId, line.duplicate_id, line.kept_id, line.parted]);

  #type(typeId: number): string {
    const name = this.#types.get(typeId);
    if (name === undefined) throw new TypeError(`There are rows of the type ${typeId}, which the schema lacks.`);
    return name;
  }

  #withType({ object_type: name }: { readonly object_type: string }, cells: (typeId: number) => Cells): Cells | string {
    const typeId = this.#typeIds.get(name);
    return typeId === undefined ? `there is no object type ${name}` : cells(typeId);
  }
}
