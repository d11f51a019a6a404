// Refuses a file with a column that looks like the currency of its amounts, unless a person has decided about it in the
// map: money is never guessed. An amount without a currency would be stored in that of the org, whatever the column
// says. The whole file is read for it before anything is written.
import { reasonsHeader } from '../../../client/import/guess-columns.ts';
import { wordsOf } from '../../../client/import/header-words.ts';
import { Failure } from '../../base/failure.ts';
import type { CsvRows } from '../../base/files/csv-file.ts';
import type { CsvRow } from '../../base/files/csv-rows.ts';
import { shorten } from '../../base/json.ts';
import { fromCell } from '../../schema/csv-cell.ts';
import { isCurrencyCode } from '../../schema/fields/currency.ts';
import type { ImportPlan } from './plan.ts';
import { type ReadColumn, readColumns } from './read-row.ts';

/** Words for a currency in headers. They are compared without case and accents. */
const currencyWords: ReadonlySet<string> = new Set(
  `currency currencies currencycode curr cur ccy 4217 iso4217 wahrung waehrung devise devises monnaie moneda divisa moeda
  valuta valuutta waluta`.split(/\s+/),
);

/**
 * A column with another header is known by one of these codes, if all of its values are codes. Other codes are names too
 * (BOB, RON), countries (CHE, SLE) or words (ALL, TRY).
 */
const unmistakable: ReadonlySet<string> = new Set(
  'USD EUR GBP JPY CHF CNY CAD AUD NZD SEK NOK DKK PLN CZK INR BRL'.split(' '),
);

/** `pieces` are all rows of the file, the header first. They are read only as far as a column needs it. */
export async function refuseCurrencyColumn(
  plan: ImportPlan,
  orgCurrency: string,
  pieces: AsyncIterable<CsvRows>,
): Promise<void> {
  const amounts = readColumns(plan.type, plan.columns).filter(
    ({ property, unitIndex }) => property.fieldType.comparison === 'money' && unitIndex === undefined,
  );
  if (amounts.length === 0) return;
  let suspects = suspectsIn(plan);
  if (suspects.length === 0) return;
  let isHeader = true;
  for await (const { rows } of pieces) {
    for (const row of rows) {
      if (!isHeader) suspects = suspects.filter((suspect) => staysSuspect(suspect, row, amounts, orgCurrency));
      isHeader = false;
    }
    if (suspects.length === 0) return;
  }
  for (const suspect of suspects) if (suspect.isUnmistakable) refuseFound(suspect);
}

/** An ignored column that may contain the currency of an amount. */
interface Suspect {
  readonly index: number;
  readonly header: string;
  /** Whether the header names a currency. */
  readonly isNamed: boolean;
  /** Whether one of its codes can only be a currency. */
  isUnmistakable: boolean;
  /** The first row in which an amount would be stored in another currency. */
  found: Mismatch | undefined;
}

interface Mismatch {
  readonly line: number;
  readonly code: string;
  readonly property: string;
  /** The cell of the amount, and the currency in which it would be stored. */
  readonly amount: string;
  readonly stored: string;
}

/** The ignored columns that nobody decided about. */
function suspectsIn({ columns }: ImportPlan): readonly Suspect[] {
  return columns.flatMap(({ header, use, decidedBy }, index) => {
    if (use.kind !== 'ignored' || decidedBy === 'map' || header === reasonsHeader) return [];
    const isNamed = wordsOf(header).some((word) => currencyWords.has(word));
    return [{ index, header, isNamed, isUnmistakable: false, found: undefined }];
  });
}

/** Whether the column may still be one of currencies after this row. Fails if it is certain. */
function staysSuspect(suspect: Suspect, row: CsvRow, amounts: readonly ReadColumn[], orgCurrency: string): boolean {
  const cell = (row.cells[suspect.index] ?? '').trim();
  if (cell === '') return true;
  const code = codeIn(cell);
  if (code === undefined) return suspect.isNamed;
  suspect.isUnmistakable ||= unmistakable.has(code);
  suspect.found ??= mismatchIn(row, code, amounts, orgCurrency);
  if (suspect.isNamed) refuseFound(suspect);
  return true;
}

/** A code is in capitals or in small letters: "Bob" is a name. */
function codeIn(cell: string): string | undefined {
  const code = cell.toUpperCase();
  return isCurrencyCode(code) && (cell === code || cell === cell.toLowerCase()) ? code : undefined;
}

function mismatchIn(
  { cells, line }: CsvRow,
  code: string,
  amounts: readonly ReadColumn[],
  orgCurrency: string,
): Mismatch | undefined {
  for (const { index, property, style } of amounts) {
    const amount = cells[index] ?? '';
    const reading = fromCell(property, amount, style.currency ?? orgCurrency, style);
    // A cell that cannot be read is refused with its row.
    const values = 'fault' in reading ? [] : [reading.value].flat();
    const stored = values.map(unitOf).find((unit) => unit !== undefined && unit !== code);
    if (stored !== undefined) return { line, code, property: property.name, amount, stored };
  }
  return undefined;
}

function unitOf(value: unknown): string | undefined {
  const unit = (value as { readonly unit?: unknown } | null)?.unit;
  return typeof unit === 'string' ? unit : undefined;
}

function refuseFound({ header, found }: Suspect): void {
  if (found === undefined) return;
  const { line, code, property, amount, stored } = found;
  const column = JSON.stringify(shorten(header, 64));
  throw new Failure(
    'usage',
    `The column ${column} looks like the currency of ${property}, and nothing says so: ` +
      `line ${line} says ${code}, but ${JSON.stringify(shorten(amount, 64))} would be stored in ${stored}.`,
    `Say so with --map: {${JSON.stringify(header)}: {"property": "${property}", "part": "unit"}}, or ignore the column: ` +
      `{${JSON.stringify(header)}: null}. Nothing was imported.`,
  );
}
