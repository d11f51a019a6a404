// The platform types against the contract's sections about them. The expectations are written out from those; nothing is
// derived from the data under test, so that each can fail.
import { expect, test } from 'vitest';
import type { Property } from '../object-type.ts';
import { builtinAssociationTypes } from './association-types.ts';
import { builtinObjectTypes } from './object-types.ts';

const platform = builtinObjectTypes.filter(({ category }) => category === 'platform');

/** id | name | label | what it accepts */
const expectedTypes = [
  '30 | svc_object_type | Object Type | create update delete',
  '31 | svc_property | Property | create update delete associate',
  '32 | svc_property_option | Property Option | create update delete associate',
  '33 | svc_association_type | Association Type | create update delete',
  '34 | svc_member | Member | create update delete associate',
  '35 | svc_role | Role | create update delete',
  '36 | svc_access_key | Access Key | create update delete associate',
  '37 | svc_view | View | create update delete associate',
  '38 | svc_audit_entry | Audit Entry | ',
  '39 | svc_job | Job | ',
];

test('the platform types have their labels and accept what they should', () => {
  const lines = platform.map(({ id, name, label, writableOperations }) =>
    [id, name, label, writableOperations.join(' ')].join(' | '),
  );
  expect(lines).toEqual(expectedTypes);
});

/** `!` marks a required property, `=` a fixed one, `*` a unique one, `-` a read-only one. */
const expectedProperties = {
  svc_object_type: `svc_name text !=*, svc_label text !, svc_plural_label text, svc_description long_text, svc_kind text =,
    svc_title_property text, svc_category text -`,
  svc_property: `svc_name text !=, svc_label text !, svc_description long_text, svc_field_type select !=,
    svc_multi_valued boolean =, svc_unique boolean =, svc_required boolean, svc_position number, svc_custom boolean -`,
  svc_property_option: 'svc_value text !=, svc_label text !, svc_position number',
  svc_association_type: `svc_name text !=*, svc_label text, svc_source text !=, svc_target text !=, svc_cardinality select !=,
    svc_stage boolean =`,
  svc_member: 'svc_name text !, svc_email email *, svc_active boolean, svc_last_seen_at datetime -',
  svc_role: 'svc_name text !*, svc_reach select !, svc_grants text[] !',
  svc_access_key: `svc_name text !, svc_reach select, svc_grants text[] !, svc_expires_at datetime, svc_key_id text *-,
    svc_last_used_at datetime -, svc_rotated_at datetime -, svc_made_by text -, svc_rotation select`,
  svc_view: 'svc_name text !, svc_view_kind select !, svc_object_type text !, svc_definition long_text',
  svc_audit_entry: `svc_at datetime -, svc_action text -, svc_principal_id text -, svc_credential_id text -,
    svc_request_id text -, svc_address text -, svc_object_type text -, svc_record_id text -, svc_detail long_text -`,
  svc_job: `svc_kind select -, svc_state select -, svc_started_at datetime -, svc_ended_at datetime -, svc_total number -,
    svc_done number -, svc_failed number -, svc_message long_text -`,
};

test.each(Object.entries(expectedProperties))('%s has its properties', (name, expected) => {
  const type = platform.find((each) => each.name === name);
  const properties = [...(type?.properties.values() ?? [])].filter(({ id }) => id > 2).map(inShort);
  expect(properties).toEqual(expected.split(',').map((each) => each.trim()));
  expect([type?.properties.get('svc_created_at')?.id, type?.properties.get('svc_updated_at')?.id]).toEqual([1, 2]);
});

function inShort({ name, fieldType, multiValued, required, fixed, unique, readOnly }: Property): string {
  const marks = [required && '!', fixed === true && '=', unique && '*', readOnly && '-'].filter(Boolean).join('');
  return `${name} ${fieldType.name}${multiValued ? '[]' : ''}${marks === '' ? '' : ` ${marks}`}`;
}

test('the options are those of the contract', () => {
  const optionsOf = (type: string, property: string) =>
    platform
      .find(({ name }) => name === type)
      ?.properties.get(property)
      ?.options.map(({ value }) => value);
  expect(optionsOf('svc_property', 'svc_field_type')).toEqual([
    ...['text', 'long_text', 'email', 'url', 'domain', 'phone', 'number', 'currency', 'date', 'datetime', 'boolean'],
    ...['select', 'country', 'timezone'],
  ]);
  expect(optionsOf('svc_association_type', 'svc_cardinality')).toEqual(['many_to_many', 'many_to_one']);
  expect(optionsOf('svc_role', 'svc_reach')).toEqual(['user', 'org']);
  expect(optionsOf('svc_access_key', 'svc_reach')).toEqual(['user', 'org']);
  expect(optionsOf('svc_access_key', 'svc_rotation')).toEqual(['now', '1h', '24h', '7d']);
  expect(optionsOf('svc_view', 'svc_view_kind')).toEqual(['table', 'board', 'report']);
  expect(optionsOf('svc_job', 'svc_kind')).toEqual([
    ...['import', 'export', 'backup', 'restore', 'index', 'purge', 'erase', 'revert', 'sync'],
  ]);
  expect(optionsOf('svc_job', 'svc_state')).toEqual(['running', 'done', 'failed', 'interrupted']);
});

test('people can read every label, every type and every description', () => {
  for (const { name, label, description, properties } of platform) {
    expect(description, name).toMatch(/^[A-Z].+\.$/);
    expect(label, name).toMatch(/^\S(.*\S)?$/);
    for (const each of properties.values()) expect(each.description, each.name).toMatch(/^$|^[A-Z].+\.$/);
  }
});

test('members have one role, and keys one member, which never changes', () => {
  const lines = builtinAssociationTypes
    .filter(({ id }) => id > 31 && id < 100)
    .map(({ id, name, cardinality, fixed }) => [id, name, cardinality, fixed === true].join(' | '));
  expect(lines.filter((line) => line.includes('svc_member') || line.includes('svc_access_key'))).toEqual([
    '36 | svc_member_to_role | many_to_one | false',
    '37 | svc_access_key_to_member | many_to_one | true',
  ]);
});
