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
    const { added, changed } = applied;
    const lines = [...linesOf('added', added), ...linesOf('changed', changed)];
    const text = lines.length === 0 ? ' no changes.' : lines.map((line) => `\n  ${line}`).join('');
    context.print({ org_id: orgId, applied: true, added, changed }, `Schema of org ${orgId}:${text}`);
  },
};

const nouns = {
  object_types: ['object type', 'object types'],
  properties: ['property', 'properties'],
  options: ['option', 'options'],
  association_types: ['association type', 'association types'],
} as const;

/** A line for each kind, such as "added 2 properties: warranty.serial_number, warranty.ends_on". */
function linesOf(verb: string, all: AppliedSchema['added']): readonly string[] {
  return (Object.keys(nouns) as (keyof typeof nouns)[]).flatMap((kind) => {
    const names = all[kind];
    if (names.length === 0) return [];
    const more = names.length - bounds.cli.definitionsNamed;
    const shown = names.slice(0, bounds.cli.definitionsNamed).join(', ');
    const noun = nouns[kind][names.length === 1 ? 0 : 1];
    return [`${verb} ${counted(names.length)} ${noun}: ${shown}${more > 0 ? ` and ${counted(more)} more` : ''}`];
  });
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
