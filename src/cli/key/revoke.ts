// orrery key revoke: revokes a key in every process within a second.
import { revokeKey } from '../../engine/admin/keys.ts';
import type { Command } from '../command.ts';
import { withDatabase } from '../with-database.ts';

export const keyRevoke: Command = {
  name: 'key revoke',
  summary: 'Revoke a key; it stops working within a second',
  argument: ['<KEY_ID>', 'the id of the key, as "key list" shows it'],
  example: 'orrery key revoke 00000001a2B3',
  run: async (context) => {
    await withDatabase(context, (database) => revokeKey(database, context.argument));
    context.print({ key_id: context.argument, revoked: true }, `Key ${context.argument} is revoked.`);
  },
};
