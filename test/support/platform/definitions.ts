// Definitions of the schema, written and found by the interface.
import type { Client } from '../client.ts';
import { make, type RecordData, recordsPath } from '../records.ts';

type Values = Readonly<Record<string, unknown>>;

const ofType = 'svc_property_to_object_type';

/** The record that defines what has this name. */
export async function definitionNamed(client: Client, type: string, name: string): Promise<RecordData> {
  const filter = { property: 'svc_name', operator: 'eq', value: name };
  const found = (await client.post(`${recordsPath(type)}query/`, { filter })).body.data as readonly RecordData[];
  const [record] = found;
  if (record === undefined) throw new Error(`There is no ${type} ${name}.`);
  return record;
}

export async function propertyNamed(client: Client, typeName: string, name: string): Promise<RecordData> {
  const owner = await definitionNamed(client, 'svc_object_type', typeName);
  const filter = {
    and: [
      { property: 'svc_name', operator: 'eq', value: name },
      { association: ofType, operator: 'exists', target_id: owner.id },
    ],
  };
  const found = (await client.post(`${recordsPath('svc_property')}query/`, { filter })).body.data;
  const [record] = found as readonly RecordData[];
  if (record === undefined) throw new Error(`${typeName} has no property ${name}.`);
  return record;
}

export const define = {
  type: (client: Client, name: string, more: Values = {}): Promise<RecordData> =>
    make(client, 'svc_object_type', { svc_name: name, svc_label: name, ...more }),
  property: async (client: Client, typeName: string, values: Values): Promise<RecordData> => {
    const owner = await definitionNamed(client, 'svc_object_type', typeName);
    const links = [{ association_type: ofType, target_id: owner.id }];
    return make(client, 'svc_property', { svc_field_type: 'text', ...values }, links);
  },
  option: (client: Client, property: RecordData, value: string): Promise<RecordData> => {
    const links = [{ association_type: 'svc_property_option_to_property', target_id: property.id }];
    return make(client, 'svc_property_option', { svc_value: value, svc_label: value }, links);
  },
  association: (client: Client, name: string, source: string, target: string): Promise<RecordData> =>
    make(client, 'svc_association_type', {
      svc_name: name,
      svc_source: source,
      svc_target: target,
      svc_cardinality: 'many_to_many',
    }),
};
