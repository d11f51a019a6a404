// An org with a type of which a key does not see all properties: what the tests of grants that hide have in common.
import type { Client } from '../client.ts';
import { administeredOrg, makeKey } from '../platform/administrator.ts';
import { type LinkData, make, type RecordData, recordsPath } from '../records.ts';
import type { TestService } from '../service.ts';

export const gems = recordsPath('gem');
export const everyOperation = 'read,create,update,delete,associate';
/** What the narrowed key does not see. */
const hidden = ['marking', 'notes', 'weight'];

const schema = {
  object_types: [
    {
      name: 'gem',
      label: 'Gem',
      title_property: 'name',
      properties: [
        { name: 'name', label: 'Name', field_type: 'text' },
        { name: 'marking', label: 'Marking', field_type: 'text', unique: true },
        { name: 'notes', label: 'Notes', field_type: 'long_text' },
        { name: 'weight', label: 'Weight', field_type: 'number' },
      ],
    },
  ],
  properties: { svc_contact: [{ name: 'badge', label: 'Badge', field_type: 'text', unique: true }] },
  association_types: [
    { name: 'gem_to_company', source: 'gem', target: 'svc_company', cardinality: 'many_to_many', label: 'Kept by' },
    { name: 'gem_to_note', source: 'gem', target: 'svc_note', cardinality: 'many_to_many', label: 'Told in' },
  ],
};

export interface Gems {
  readonly orgId: number;
  readonly admin: Client;
  /** Sees of gems only their names, and may do everything with them. */
  readonly narrow: Client;
  readonly keyOf: (...grants: readonly string[]) => Promise<Client>;
  readonly makeGem: (values: Readonly<Record<string, unknown>>, links?: readonly LinkData[]) => Promise<RecordData>;
}

export async function openGems(service: TestService): Promise<Gems> {
  const { orgId, admin } = await administeredOrg(service);
  await service.applySchema(orgId, schema);
  const keyOf = async (...grants: readonly string[]) => service.client((await makeKey(admin, { grants })).key);
  const narrow = await keyOf(`gem:${everyOperation};hide=${hidden.join(',')}`, 'svc_company:read,associate');
  return { orgId, admin, narrow, keyOf, makeGem: (values, links) => make(admin, 'gem', values, links) };
}
