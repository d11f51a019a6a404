// orrery schema apply FILE.json: grows an org's schema by a file, all of it or nothing.
import { readFile, stat } from 'node:fs/promises';
import { Failure } from '../../base/failure.ts';
import { bounds } from '../../base/limits.ts';
import type { Fault } from '../../base/problem.ts';
import { applySchemaFile } from '../../engine/admin/schemas.ts';
import type { Command } from '../command.ts';
import { parseOrgId } from '../terminal/arguments.ts';
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
    const faults = await withDatabase(context, (database) => applySchemaFile(database, orgId, file));
    if (faults.length > 0) throw faultsFailure(context.argument, faults);
    context.print({ org_id: orgId, applied: true }, `The schema of org ${orgId} is up to date with the file.`);
  },
};

async function readJson(path: string): Promise<unknown> {
  let text: string;
  try {
    const { size } = await stat(path);
    if (size > bounds.cli.schemaFileBytes) {
      throw new Failure(
        'invalid_file',
        `The file has ${size} bytes; at most ${bounds.cli.schemaFileBytes} are read.`,
        'Split it.',
      );
    }
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure('invalid_file', `The file ${path} cannot be read.`, 'Check its name and its rights.', error);
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : '';
    throw new Failure('invalid_file', `The file ${path} is not JSON: ${why}.`, 'Mend it and apply it again.', error);
  }
}

function faultsFailure(path: string, faults: readonly Fault[]): Failure {
  const lines = faults.map(({ pointer, detail, nearest }) => {
    const hint = nearest === undefined ? '' : ` Did you mean "${nearest}"?`;
    return `  ${pointer === '' || pointer === undefined ? '(top)' : pointer}: ${detail}${hint}`;
  });
  const count = faults.length === 1 ? 'one fault' : `${faults.length} faults`;
  return new Failure(
    'invalid_file',
    `The file ${path} has ${count}, so nothing was applied:\n${lines.join('\n')}\n`,
    'Mend it and apply it again.',
  );
}
