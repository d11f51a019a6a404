// orrery key rotate: issues a new secret for a key. The old one works for a grace period, so that clients can switch.
import { rotateKey } from '../../engine/admin/keys.ts';
import type { Command } from '../command.ts';
import { parseDuration } from '../terminal/arguments.ts';
import { withDatabase } from '../with-database.ts';

export const keyRotate: Command = {
  name: 'key rotate',
  summary: 'Issue a new secret for a key; the old one works for the grace period',
  argument: ['<KEY_ID>', 'the id of the key, as "key list" shows it'],
  options: [{ flags: '--grace <TIME>', description: 'how long the old secret still works (default: 24h)' }],
  example: 'orrery key rotate 00000001a2B3 --grace 1h',
  run: async (context) => {
    const graceSeconds = parseDuration(context.options.text('grace') ?? '24h', '--grace');
    const { credentialId, key } = await withDatabase(context, (database) =>
      rotateKey(database, context.argument, graceSeconds),
    );
    context.print({ key_id: credentialId, key }, `${key}\n\nThis is the only time the key is shown.`);
  },
};
