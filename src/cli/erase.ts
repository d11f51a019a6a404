// orrery erase: erases a record for good, so that no value of it is left.
import { eraseForOperator } from '../engine/admin/erase.ts';
import { eraseNote } from '../operations/shared/erase-item.ts';
import { redactAnswer } from '../operations/shared/redact-answer.ts';
import type { Command } from './command.ts';
import { parseOrgId } from './terminal/arguments.ts';
import { plural } from './terminal/text.ts';
import { withEngine } from './with-database.ts';

export const erase: Command = {
  name: 'erase',
  summary: 'Erase a record for good, so that none of its values is left',
  argument: [
    '<RECORD_ID>',
    'the record, live, in the trash, or purged while the change feed still has entries about it',
  ],
  options: [
    { flags: '--org <ID>', description: 'the org', required: true },
    { flags: '--type <TYPE>', description: 'its object type', required: true },
  ],
  example: [
    'orrery erase --org 1 --type svc_contact 0199b1a2-7c5e-7000-8f00-2b1d4c6e8a90',
    '',
    'Duplicates that were merged into the record are erased with it. It cannot be undone. To keep what is known of a',
    'person, run "orrery export --org 1 --person RECORD_ID" first.',
  ].join('\n'),
  run: async (context) => {
    const { options, argument: id } = context;
    const orgId = parseOrgId(options.text('org'));
    const typeName = options.text('type') ?? '';
    const erasure = await withEngine(context, (engine) =>
      eraseForOperator(engine, { orgId, typeName, id }, redactAnswer),
    );
    const duplicates = erasure.duplicates.length;
    const note = eraseNote(erasure);
    const merged = duplicates === 0 ? '' : ` and ${plural(duplicates, 'duplicate')} that had been merged into it`;
    context.print(
      { id, object_type: typeName, erased: true, duplicates: erasure.duplicates, note },
      `Erased record ${id} of ${typeName}${merged}.\n${note}`,
    );
  },
};
