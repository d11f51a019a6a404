// Describes an object type of a catalog to those who guess columns.

import type {
  DescribedLink,
  DescribedProperty,
  DescribedTarget,
  DescribedType,
} from '../../../client/import/described-type.ts';
import type { AssociationPair } from '../../schema/association-type.ts';
import type { Catalog } from '../../schema/catalog.ts';
import type { ObjectType, Property } from '../../schema/object-type.ts';
import { targetOf } from './link-columns.ts';

export function describeType(catalog: Catalog, type: ObjectType): DescribedType {
  const { name, label, pluralLabel, properties } = type;
  const pairs = catalog.pairs.filter((pair) => pair.sourceType === name && pair.targetType !== 'svc_org');
  const associations = [...new Set(pairs.map((pair) => pair.name))];
  return {
    name,
    label,
    pluralLabel,
    properties: [...properties.values()].map(describeProperty),
    links: associations.map((association) => describeLink(catalog, association, catalog.pairsFrom(name, association))),
  };
}

function describeProperty({ name, label, fieldType, multiValued, readOnly, options }: Property): DescribedProperty {
  return { name, label, fieldType: fieldType.name, multiValued, readOnly, options };
}

function describeLink(catalog: Catalog, association: string, pairs: readonly AssociationPair[]): DescribedLink {
  const targets = pairs.flatMap((pair) => targetOf(catalog, pair) ?? []);
  return { association, label: pairs[0]?.label ?? association, targets: targets.map(describeTarget) };
}

function describeTarget({ name, label, pluralLabel, kind, titleProperty, properties }: ObjectType): DescribedTarget {
  const unique = [...properties.values()].filter((property) => property.unique).map(describeProperty);
  return { name, label, pluralLabel, isPerson: kind === 'person', hasTitle: titleProperty !== null, unique };
}
