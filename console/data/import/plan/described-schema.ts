// What an import needs to know of the schema: the type of its records, and those to which they can be linked, as far as the
// caller may see them and link to them.

import type { CellForm } from '../../../../client/import/cells/cell-form.ts';
import { cellForms } from '../../../../client/import/cells/cell-forms.ts';
import type { DescribedProperty, DescribedTarget, DescribedType } from '../../../../client/import/described-type.ts';
import type { AssociationType, Client, FieldType, ObjectTypeDetail, Property } from '../../../../client/main.ts';
import { runTexts } from '../../../text/import-run-texts.ts';
import { Refusal } from '../refusal.ts';

export interface ImportSchema {
  readonly type: ObjectTypeDetail;
  readonly described: DescribedType;
  readonly properties: ReadonlyMap<string, Property>;
  /** By the name of the association type. */
  readonly links: ReadonlyMap<string, ImportLink>;
  readonly canUpdate: boolean;
  /** The field types by whose values records can be looked up. */
  readonly lookedUp: ReadonlySet<string>;
}

export interface ImportLink {
  readonly association: string;
  readonly takesOne: boolean;
  /** The types to which it leads; members stand for users. */
  readonly targets: readonly ObjectTypeDetail[];
}

export async function readSchema(client: Client, typeName: string): Promise<ImportSchema> {
  const [known, fieldTypes] = await Promise.all([client.listObjectTypes(), client.listFieldTypes()]);
  const found = known.data.find(({ name }) => name === typeName);
  if (found === undefined) throw new Refusal(runTexts.noType(typeName));
  if (!found.writable_operations.includes('create')) throw new Refusal(runTexts.noCreate(found.plural_label));
  const [type, pairs] = await Promise.all([client.getObjectType(typeName), client.listAssociationTypes(typeName)]);
  const outgoing = pairs.data.filter((pair) => isOffered(pair, typeName));
  const names = new Set(outgoing.map(({ target_type: target }) => recordType(target)));
  const visible = known.data.filter(({ name }) => names.has(name));
  const targets = await Promise.all(visible.map(async ({ name }) => (await client.getObjectType(name)).data));
  const links = linksOf(outgoing, new Map(targets.map((target) => [target.name, target])));
  return {
    type: type.data,
    described: {
      ...labelsOf(type.data),
      properties: type.data.properties.map(describe),
      links: links.map(describeLink),
    },
    properties: new Map(type.data.properties.map((property) => [property.name, property])),
    links: new Map(links.map((link) => [link.association, link])),
    canUpdate: found.writable_operations.includes('update'),
    lookedUp: new Set(fieldTypes.data.filter(isLookedUp).map(({ name }) => name)),
  };
}

/** How the cells of a property are read. */
export function formOf({ field_type: fieldType }: Pick<Property, 'field_type'>): CellForm | undefined {
  return (cellForms as Readonly<Record<string, CellForm>>)[fieldType];
}

function isOffered({ direction, source_type: source, target_type: target, writable }: AssociationType, name: string) {
  return direction === 'outgoing' && source === name && writable && target !== 'svc_org';
}

/** People who see a record are found as members of the org. */
function recordType(target: string): string {
  return target === 'svc_user' ? 'svc_member' : target;
}

function isLookedUp({ filter_operators: operators }: FieldType): boolean {
  return operators.includes('in');
}

interface NamedLink extends ImportLink {
  readonly label: string;
}

function linksOf(
  pairs: readonly AssociationType[],
  types: ReadonlyMap<string, ObjectTypeDetail>,
): readonly NamedLink[] {
  const names = [...new Set(pairs.map(({ name }) => name))];
  return names.flatMap((association) => {
    const own = pairs.filter(({ name }) => name === association);
    const targets = own.flatMap(({ target_type: target }) => types.get(recordType(target)) ?? []);
    const takesOne = own.some(({ cardinality }) => cardinality === 'many_to_one');
    return targets.length === 0 ? [] : [{ association, label: own[0]?.label ?? association, takesOne, targets }];
  });
}

function labelsOf({ name, label, plural_label: pluralLabel }: ObjectTypeDetail) {
  return { name, label, pluralLabel };
}

function describe(property: Property): DescribedProperty {
  const { name, label, field_type: fieldType, multi_valued: multiValued, read_only: readOnly, options = [] } = property;
  return { name, label, fieldType, multiValued, readOnly, options };
}

function describeLink({ association, label, targets }: NamedLink) {
  return { association, label, targets: targets.map(describeTarget) };
}

function describeTarget(target: ObjectTypeDetail): DescribedTarget {
  return {
    ...labelsOf(target),
    isPerson: target.kind === 'person',
    hasTitle: target.title_property !== null,
    unique: target.properties.filter(({ unique }) => unique).map(describe),
  };
}
