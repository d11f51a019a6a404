// Who may do what in an org, as records: members, roles and keys. What makes them special are the rules that they obey
// (`engine/platform`).
import { boolean } from '../fields/boolean.ts';
import { datetime } from '../fields/datetime.ts';
import { email } from '../fields/email.ts';
import { select } from '../fields/select.ts';
import { text } from '../fields/text.ts';
import type { ObjectType } from '../object-type.ts';
import { labelled, objectType, property } from './declare.ts';

const kept = { readOnly: true } as const;

const member = objectType({
  id: 34,
  name: 'svc_member',
  label: 'Member',
  pluralLabel: 'Members',
  description: 'A person of the org. Its id names the person in links and in what the person did.',
  category: 'platform',
  nature: 'governed',
  titleProperty: 'svc_name',
  properties: [
    property(3, 'svc_name', 'Name', text, { required: true }),
    property(4, 'svc_email', 'Email', email, { unique: true }),
    property(5, 'svc_active', 'Active', boolean, {
      description: 'Whether the keys of the member work.',
    }),
    property(6, 'svc_last_seen_at', 'Last seen at', datetime, {
      ...kept,
      description: 'When a key of the member was last used.',
    }),
  ],
});

const reachOptions = labelled({ user: 'What is linked to the member or the org', org: 'The whole org' });

const role = objectType({
  id: 35,
  name: 'svc_role',
  label: 'Role',
  pluralLabel: 'Roles',
  description: 'What the members who have it may do.',
  category: 'platform',
  nature: 'governed_unlinked',
  titleProperty: 'svc_name',
  properties: [
    property(3, 'svc_name', 'Name', text, { required: true, unique: true }),
    property(4, 'svc_reach', 'Reach', select, { required: true, options: reachOptions }),
    property(5, 'svc_grants', 'Grants', text, {
      required: true,
      multiValued: true,
      description: 'Each as types, a colon and operations: `svc_contact,svc_deal:read,update`.',
    }),
  ],
});

const accessKey = objectType({
  id: 36,
  name: 'svc_access_key',
  label: 'Access Key',
  pluralLabel: 'Access Keys',
  description: 'A key for requests. Its secret is in the answer that makes it, and nowhere else.',
  category: 'platform',
  nature: 'governed',
  titleProperty: 'svc_name',
  properties: [
    property(3, 'svc_name', 'Name', text, { required: true }),
    property(4, 'svc_reach', 'Reach', select, { options: reachOptions }),
    property(5, 'svc_grants', 'Grants', text, {
      required: true,
      multiValued: true,
      description: 'Each as types, a colon and operations: `svc_contact,svc_deal:read,update`.',
    }),
    property(6, 'svc_expires_at', 'Expires at', datetime),
    property(7, 'svc_key_id', 'Key id', text, {
      ...kept,
      unique: true,
      description: 'The part of the key that is not secret.',
    }),
    property(8, 'svc_last_used_at', 'Last used at', datetime, kept),
    property(9, 'svc_rotated_at', 'Rotated at', datetime, kept),
    property(10, 'svc_made_by', 'Made by', text, { ...kept, description: 'The member or key that made it.' }),
    property(11, 'svc_rotation', 'Rotation', select, {
      options: labelled({ now: 'At once', '1h': 'After an hour', '24h': 'After a day', '7d': 'After a week' }),
      description: 'Setting it makes a new secret, and ends the old one after that time. It is never read back.',
    }),
  ],
});

export const accessTypes: readonly ObjectType[] = [member, role, accessKey];
