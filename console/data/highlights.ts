// What is shown of a record at a glance, chosen from the schema: an amount, the record that it belongs to, and whose it is.
import type { AssociationType } from '../../client/main.ts';
import type { TypeDetail } from './schema.ts';

/** The property whose sum stands above a column: the first amount of the type. */
export function sumProperty(type: TypeDetail): string | undefined {
  return type.properties.find(({ field_type: field, multi_valued: many }) => field === 'currency' && !many)?.name;
}

/** The association whose record stands below the title: the first to one record that is not a stage. */
export function subtitleLink(type: TypeDetail): AssociationType | undefined {
  const links = type.links.filter(
    ({ direction, stage, target_type: target }) =>
      direction === 'outgoing' && !stage && target !== 'svc_user' && target !== 'svc_org',
  );
  return links.find(({ cardinality }) => cardinality === 'many_to_one') ?? links[0];
}

export function ownerLink(type: TypeDetail): AssociationType | undefined {
  return type.links.find(({ target_type: target, direction }) => target === 'svc_user' && direction === 'outgoing');
}
