// orrery key explain: prints what a key sees and may do: types, operations, hidden and locked properties, and records.
import { explainKey } from '../../engine/admin/explain-key.ts';
import type { Command } from '../command.ts';
import { table } from '../terminal/text.ts';
import { withDatabase } from '../with-database.ts';

export const keyExplain: Command = {
  name: 'key explain',
  summary: 'Print what a key sees and may do, type by type',
  argument: ['<KEY_ID>', 'the id of the key, as "key list" shows it'],
  example: 'orrery key explain 00000001a2B3',
  run: async (context) => {
    const { key, types } = await withDatabase(context, (database) => explainKey(database, context.argument));
    const value = {
      key_id: key.credentialId,
      org_id: key.orgId,
      name: key.name,
      reach: key.reach,
      ...(key.userId === null ? {} : { user_id: key.userId }),
      ...(key.expiresAt === null ? {} : { expires_at: key.expiresAt.toISOString() }),
      ...(key.revokedAt === null ? {} : { revoked_at: key.revokedAt.toISOString() }),
      object_types: types.map(({ name, operations, hidden, locked, records }) => ({
        object_type: name,
        operations: ['read', ...operations],
        hidden_properties: hidden,
        locked_properties: locked,
        records,
      })),
    };
    const rows = types.map(({ name, operations, hidden, locked, records }) => [
      name,
      ['read', ...operations].join(','),
      hidden.join(',') || '-',
      locked.join(',') || '-',
      String(records),
    ]);
    const whose = key.userId === null ? '' : ` of user ${key.userId}`;
    const seen = key.reach === 'user' ? 'the records that this user sees' : 'all records of these types';
    const ended = key.revokedAt === null ? '' : ` It was revoked on ${key.revokedAt.toISOString()}.`;
    context.print(
      value,
      `Key ${key.credentialId} "${key.name}"${whose} in org ${key.orgId}, reach ${key.reach}: ${seen}.${ended}\n` +
        table([['TYPE', 'OPERATIONS', 'HIDDEN', 'LOCKED', 'RECORDS'], ...rows]),
    );
  },
};
