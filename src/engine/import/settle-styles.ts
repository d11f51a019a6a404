// Finds out from the cells of a file how its dates and numbers are written, for columns about which a person has said
// nothing. All cells of a column have to agree; where they fit two readings, other columns of the file decide, and
// otherwise the import is refused: dates and money are never guessed against the evidence.
import { Failure } from '../../base/failure.ts';
import type { CsvRows } from '../../base/files/csv-file.ts';
import { shorten } from '../../base/json.ts';
import type { CellStyle } from '../../schema/cells/cell-style.ts';
import { type DateFormat, readIsoMoment, usualFormats } from '../../schema/cells/date-format.ts';
import { type DecimalMark, decimalEvidence, decimalMarks } from '../../schema/cells/decimal.ts';
import type { FieldType } from '../../schema/field-type.ts';
import type { ColumnUse, PlannedColumn } from './column-use.ts';
import type { ImportPlan } from './plan.ts';

/** `pieces` are all rows of the file, the header first. They are read only if a column needs it. */
export async function settleStyles(plan: ImportPlan, pieces: AsyncIterable<CsvRows>): Promise<ImportPlan> {
  const open = plan.columns.map((column) => openColumn(plan, column));
  if (open.every((column) => column === undefined)) return plan;
  let isHeader = true;
  for await (const { rows } of pieces) {
    for (const { cells } of rows) {
      if (!isHeader) for (const [index, column] of open.entries()) column?.see(cells[index] ?? '');
      isHeader = false;
    }
  }
  const said = plan.columns.flatMap(({ use }) => styleOf(use) ?? []);
  const sure = [...said, ...open.flatMap((column) => column?.sure() ?? [])];
  const columns = plan.columns.map((column, index): PlannedColumn => {
    const { header, use } = column;
    const settled = open[index]?.settle(header, sure);
    if (settled instanceof Failure) {
      // Nobody has asked for the date of creation, so the others need not wait for it.
      if (use.kind !== 'created_at' || use.guessed !== true) throw settled;
      return { ...column, use: { kind: 'ignored', why: 'its dates can be read in two ways: see --date-format' } };
    }
    return settled === undefined || !('style' in use)
      ? column
      : { ...column, use: { ...use, style: { ...use.style, ...settled } } };
  });
  return { ...plan, columns };
}

function styleOf(use: ColumnUse): CellStyle | undefined {
  return 'style' in use ? use.style : undefined;
}

/** A column whose style is still open. */
interface OpenColumn {
  see(cell: string): void;
  /** What its own cells leave no doubt about. */
  sure(): CellStyle | undefined;
  /** Or why it stays open. */
  settle(header: string, sure: readonly CellStyle[]): CellStyle | Failure;
}

function openColumn({ type }: ImportPlan, { use }: PlannedColumn): OpenColumn | undefined {
  if (use.kind === 'created_at') return use.style.dates === undefined ? new OpenDates() : undefined;
  if (use.kind !== 'property') return undefined;
  const fieldType = type.properties.get(use.property)?.fieldType;
  if (fieldType === undefined) return undefined;
  if (isTime(fieldType)) return use.style.dates === undefined ? new OpenDates() : undefined;
  return isNumeric(fieldType) && use.style.decimal === undefined ? new OpenNumbers(fieldType) : undefined;
}

function isTime({ index }: FieldType): boolean {
  return index?.kind === 'time';
}

function isNumeric({ comparison }: FieldType): boolean {
  return comparison === 'number' || comparison === 'money';
}

class OpenDates implements OpenColumn {
  /** The formats that fit all cells that any format fits; undefined before the first such cell. */
  #possible: readonly DateFormat[] | undefined;
  #example = '';

  see(cell: string): void {
    const text = cell.trim();
    if (text === '' || this.#possible?.length === 0 || readIsoMoment(text) !== undefined) return;
    const fits = (format: DateFormat) => format.read(text) !== undefined;
    const known = this.#possible?.filter(fits);
    // A cell that no format fits tells nothing of the column: it is a bad one.
    if (known !== undefined && (known.length > 0 || !usualFormats.some(fits))) {
      if (known.length > 0) this.#possible = known;
      return;
    }
    const found = usualFormats.filter(fits);
    if (known !== undefined) this.#possible = [];
    else if (found.length > 0) {
      this.#possible = found;
      this.#example = text;
    }
  }

  sure(): CellStyle | undefined {
    const [only, other] = this.#possible ?? [];
    return only === undefined || other !== undefined ? undefined : { dates: only };
  }

  settle(header: string, sure: readonly CellStyle[]): CellStyle | Failure {
    const possible = this.#possible ?? [];
    const agreed = possible.filter((format) => sure.some(({ dates }) => dates?.order === format.order));
    const [format, other] = agreed.length === 1 ? agreed : possible;
    if (other === undefined) return format === undefined ? {} : { dates: format };
    const names = possible.map(({ name }) => name).join(' or ');
    return new Failure(
      'usage',
      `The dates of the column ${quoted(header)} could be ${names}: ${quoted(this.#example)} does not tell.`,
      `Say which with --date-format ${format?.name ?? ''} or ${other.name}. Nothing was imported.`,
    );
  }
}

class OpenNumbers implements OpenColumn {
  /** An example of each decimal mark that cells leave no doubt about. */
  readonly #seen = new Map<DecimalMark, string>();
  /** A cell that could be read in two ways. A number with a point, which is no amount, is read as the API reads it. */
  #doubtful: string | undefined;
  readonly #isMoney: boolean;

  constructor({ comparison }: FieldType) {
    this.#isMoney = comparison === 'money';
  }

  see(cell: string): void {
    const evidence = decimalEvidence(cell);
    if (evidence === undefined) return;
    if (evidence === 'either') {
      if (this.#isMoney || cell.includes(',')) this.#doubtful ??= cell.trim();
    } else if (!this.#seen.has(evidence)) this.#seen.set(evidence, cell.trim());
  }

  sure(): CellStyle | undefined {
    const [only, other] = this.#seen.keys();
    return only === undefined || other !== undefined ? undefined : { decimal: only };
  }

  settle(header: string, sure: readonly CellStyle[]): CellStyle | Failure {
    const [own, contrary] = this.#seen;
    if (own !== undefined && contrary !== undefined) {
      const examples = `${quoted(own[1])} and ${quoted(contrary[1])}`;
      return unclear(`The numbers of the column ${quoted(header)} are written in two ways: ${examples}.`);
    }
    if (own !== undefined) return { decimal: own[0] };
    const [mark, other] = decimalMarks.filter((each) => sure.some(({ decimal }) => decimal === each));
    if (mark !== undefined && other === undefined) return { decimal: mark };
    if (this.#doubtful === undefined) return { decimal: '.' };
    const doubt = `${quoted(this.#doubtful)} does not tell which`;
    return unclear(`The numbers of the column ${quoted(header)} can be read in two ways: ${doubt}.`);
  }
}

function unclear(sentence: string): Failure {
  const fix = 'Say with --decimal whether a point or a comma comes before decimals: --decimal . or --decimal ,';
  return new Failure('usage', sentence, fix);
}

function quoted(text: string): string {
  return JSON.stringify(shorten(text, 64));
}
