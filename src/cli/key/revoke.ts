// orrery key revoke KEY_ID: ends a key, within a second, in every process.
import { revokeKey } from '../../engine/admin/keys.ts';
import type { Command } from '../command.ts';
import { withDatabase } from '../with-database.ts';

export const keyRevoke: Command = {
  name: 'key revoke',
  summary: 'End a key, within a second, everywhere',
  argument: ['<KEY_ID>', 'the id of the key, as "key list" shows it'],
  example: 'orrery key revoke 00000001a2B3',
  run: async (context) => {
    await withDatabase(context, (database) => revokeKey(database, context.argument));
    context.print({ key_id: context.argument, revoked: true }, `Key ${context.argument} is revoked.`);
  },
};
