// orrery schema apply: extends the schema of an org by a file, completely or not at all.

import { readFile, stat } from 'node:fs/promises';
import { counted } from '../../base/counted.ts';
import { Failure } from '../../base/failure.ts';
import { bounds } from '../../base/limits.ts';
import type { Fault } from '../../base/problem.ts';
import { type AppliedSchema, applySchemaFile } from '../../engine/admin/apply-schema.ts';
import type { Command } from '../command.ts';
import { parseOrgId } from '../terminal/arguments.ts';
import { plural } from '../terminal/text.ts';
import { withDatabase } from '../with-database.ts';

export const schemaApply: Command = {
  name: 'schema apply',
  summary: 'Add the types, properties, options, labels and association types of a file',
  argument: ['<FILE>', 'a JSON file, as "schema show" prints it'],
  options: [{ flags: '--org <ID>', description: 'the org', required: true }],
  example: 'orrery schema apply --org 1 schema.json',
  run: async (context) => {
    const orgId = parseOrgId(context.options.text('org'));
    const file = await readJson(context.argument);
    const applied = await withDatabase(context, (database) => applySchemaFile(database, orgId, file));
    if (applied.faults.length > 0) throw faultsFailure(context.argument, applied.faults);
    context.print({ org_id: orgId, applied: true }, `Schema of org ${orgId}: ${describe(applied)}.`);
  },
};

function describe({ changed, added }: AppliedSchema): string {
  const { objectTypes, properties, options, associationTypes } = added;
  const parts = [
    ...(objectTypes > 0 ? [plural(objectTypes, 'object type')] : []),
    ...(properties > 0 ? [properties === 1 ? '1 property' : `${properties} properties`] : []),
    ...(options > 0 ? [plural(options, 'option')] : []),
    ...(associationTypes > 0 ? [plural(associationTypes, 'association type')] : []),
  ];
  if (parts.length > 0) return `added ${parts.join(', ')}`;
  return changed ? 'existing definitions updated' : 'no changes';
}

async function readJson(path: string): Promise<unknown> {
  let text: string;
  try {
    const { size } = await stat(path);
    if (size > bounds.cli.schemaFileBytes) {
      throw new Failure(
        'invalid_file',
        `The file has ${counted(size)} bytes; at most ${counted(bounds.cli.schemaFileBytes)} are allowed.`,
        'Split it.',
      );
    }
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure('invalid_file', `The file ${path} cannot be read.`, 'Check its name and permissions.', error);
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : '';
    throw new Failure('invalid_file', `The file ${path} is not JSON: ${why}.`, 'Fix it and apply it again.', error);
  }
}

function faultsFailure(path: string, faults: readonly Fault[]): Failure {
  const lines = faults.map(({ pointer, detail, nearest }) => {
    const hint = nearest === undefined ? '' : ` Did you mean "${nearest}"?`;
    return `  ${pointer === '' || pointer === undefined ? '(top)' : pointer}: ${detail}${hint}`;
  });
  const count = plural(faults.length, 'error');
  return new Failure(
    'invalid_file',
    `The file ${path} has ${count}, so nothing was applied:\n${lines.join('\n')}\n`,
    'Fix it and apply it again.',
  );
}
