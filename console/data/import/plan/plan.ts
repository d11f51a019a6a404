// Plans an import: what each column is used for, as a person has chosen or as the command would guess; how its dates and
// numbers are written, as all of its cells say; and what stands in the way.
import { moneyOf } from '../../../../client/import/cells/amount-cell.ts';
import { isDoubt, StyleFinder } from '../../../../client/import/cells/settle-styles.ts';
import { fileBounds } from '../../../../client/import/file-bounds.ts';
import { type GuessedUse, guessColumns, reasonsHeader, subjectOf } from '../../../../client/import/guess-columns.ts';
import { runTexts } from '../../../text/import-run-texts.ts';
import { importBounds } from '../bounds.ts';
import type { Choice, ColumnUse, Plan, PlanFault, PlannedColumn } from '../messages.ts';
import { Refusal } from '../refusal.ts';
import { AmountWatch } from './amount-watch.ts';
import { styleOf, writtenAs } from './cell-style.ts';
import type { ImportSchema } from './described-schema.ts';
import { planFaults } from './plan-faults.ts';
import { dataRows, type SourceFile } from './source-file.ts';

export async function planImport(schema: ImportSchema, file: SourceFile, choice: Choice): Promise<Plan> {
  const { headers } = file;
  if (headers.length > fileBounds.columns) {
    throw new Refusal(runTexts.tooManyColumns(headers.length, fileBounds.columns));
  }
  const uses = usesOf(schema, file, choice);
  const columns = headers.map(
    (header, index): PlannedColumn => ({
      header,
      use: uses[index] ?? { kind: 'ignored' },
      decidedBy: Object.hasOwn(choice.columns, index) ? 'person' : 'header',
      samples: samplesOf(file, index),
    }),
  );
  const settled = await settle(schema, file, columns);
  const faults = [...planFaults(schema, settled.columns, choice.match), ...settled.faults];
  const matches = matchesOf(schema, settled.columns);
  return { typeName: choice.typeName, columns: settled.columns, match: choice.match, matches, faults };
}

/** A decision beats any guess, also for a list that several columns could fill. */
function usesOf({ described }: ImportSchema, file: SourceFile, choice: Choice): readonly ColumnUse[] {
  const decided = Object.values(choice.columns);
  const subjects = decided.flatMap((use) => (use.kind === 'ignored' ? [] : subjectOfUse(use)));
  // A column is decided by its place: another one of the same name is still guessed.
  const names = file.headers.map((header, index) => (Object.hasOwn(choice.columns, index) ? `${index}\u0000` : header));
  const guesses = guessColumns({
    type: described,
    file: { headers: names, rows: file.sample },
    money: moneyOf(choice.written.currency ?? ''),
    decided: { headers: new Set(names.filter((name) => name.endsWith('\u0000'))), subjects: new Set(subjects) },
  });
  return guesses.map(({ use, isSure }, index) => {
    const own = choice.columns[index] ?? guessedUse(use, isSure ? {} : { guessed: true });
    return own.kind === 'property' ? { ...choice.written, ...own } : own;
  });
}

function subjectOfUse(use: Exclude<ColumnUse, { readonly kind: 'ignored' }>): readonly string[] {
  return use.kind === 'unit' ? [] : [subjectOf(use) ?? ''];
}

/** A guessed link never refuses a row that would come in without it. */
function guessedUse(use: GuessedUse, guessed: { readonly guessed?: true }): ColumnUse {
  if (use.kind === 'created_at') return { kind: 'ignored', why: runTexts.noCreationDate };
  if (use.kind === 'ignored') return use;
  if (use.kind === 'link') return { ...use, missing: 'skip', ...guessed };
  return { ...use, ...guessed };
}

function samplesOf({ sample }: SourceFile, index: number): readonly string[] {
  const filled = sample.map((cells) => cells[index]?.trim() ?? '').filter((cell) => cell !== '');
  return [...new Set(filled)].slice(0, importBounds.samplesShown);
}

/** What rows could be matched by: the unique properties, and the ids of another system, that columns have. */
function matchesOf({ properties, canUpdate }: ImportSchema, columns: readonly PlannedColumn[]): readonly string[] {
  if (!canUpdate) return [];
  return columns.flatMap(({ use }) => {
    if (use.kind === 'external_id') return ['external_id'];
    return use.kind === 'property' && properties.get(use.property)?.unique === true ? [use.property] : [];
  });
}

interface Settled {
  readonly columns: readonly PlannedColumn[];
  readonly faults: readonly PlanFault[];
}

/** Reads the whole file, if a column needs it. */
async function settle(schema: ImportSchema, file: SourceFile, columns: readonly PlannedColumn[]): Promise<Settled> {
  const finder = new StyleFinder(
    columns.map(({ header, use }) => {
      const property = use.kind === 'property' ? schema.properties.get(use.property) : undefined;
      if (use.kind !== 'property' || property === undefined) return undefined;
      return { header, fieldType: property.field_type, style: styleOf(use) };
    }),
  );
  if (finder.isOpen) for await (const { cells } of dataRows(file)) finder.see(cells);
  const faults: PlanFault[] = [];
  const found = finder.settle();
  const styled = columns.map((column, index): PlannedColumn => {
    const style = found[index];
    if (isDoubt(style)) {
      const choose = style.dates === undefined ? 'decimal' : { dates: style.dates };
      faults.push({ column: index, detail: style.sentence, choose });
      return column;
    }
    const { use } = column;
    return style === undefined || use.kind !== 'property'
      ? column
      : { ...column, use: { ...use, ...writtenAs(style) } };
  });
  if (faults.length === 0) faults.push(...(await amountFaults(schema, file, styled)));
  return { columns: styled, faults };
}

/** Money is never guessed: an amount has its currency, or a person says it. */
async function amountFaults(
  schema: ImportSchema,
  file: SourceFile,
  columns: readonly PlannedColumn[],
): Promise<readonly PlanFault[]> {
  const ignored = columns.flatMap(({ header, use, decidedBy }, index) =>
    use.kind !== 'ignored' || decidedBy === 'person' || header === reasonsHeader ? [] : [{ index, header }],
  );
  const watch = new AmountWatch(
    schema,
    columns.map(({ use }) => use),
    ignored,
  );
  if (watch.isOpen) {
    for await (const row of dataRows(file)) {
      watch.see(row);
      if (!watch.isOpen) break;
    }
  }
  return watch.faults((index) => columns[index]?.header ?? '');
}
