// Finds out from the cells of a file how its dates and numbers are written, for columns about which a person has said
// nothing. All cells of a column have to agree; where they fit two readings, other columns of the file decide, and
// otherwise it stays in doubt: dates and money are never guessed against the evidence.
import { quoted } from '../described.ts';
import type { CellStyle } from './cell-style.ts';
import { type DateFormat, readIsoMoment, usualFormats } from './date-format.ts';
import { type DecimalMark, decimalEvidence, decimalMarks } from './decimal.ts';

/** Why the style of a column stays open, and what it could be. */
export interface StyleDoubt {
  readonly sentence: string;
  /** The names of the formats that fit, or undefined if it is about the decimal mark. */
  readonly dates: readonly string[] | undefined;
}

/** What is known of a column before its cells are seen. */
interface AskedColumn {
  readonly header: string;
  /** The name of its field type. */
  readonly fieldType: string;
  readonly style: CellStyle;
}

export class StyleFinder {
  readonly #columns: readonly (AskedColumn | undefined)[];
  readonly #open: readonly (OpenColumn | undefined)[];

  /** In the order of the file; columns without values are undefined. */
  constructor(columns: readonly (AskedColumn | undefined)[]) {
    this.#columns = columns;
    this.#open = columns.map((column) => (column === undefined ? undefined : openColumn(column)));
  }

  /** Whether the cells are needed. */
  get isOpen(): boolean {
    return this.#open.some((column) => column !== undefined);
  }

  see(cells: readonly string[]): void {
    for (const [index, column] of this.#open.entries()) column?.see(cells[index] ?? '');
  }

  /** What the cells say of each column; undefined if its style was settled before. */
  settle(): readonly (CellStyle | StyleDoubt | undefined)[] {
    const said = this.#columns.flatMap((column) => column?.style ?? []);
    const sure = [...said, ...this.#open.flatMap((column) => column?.sure() ?? [])];
    return this.#open.map((column, index) => column?.settle(this.#columns[index]?.header ?? '', sure));
  }
}

export function isDoubt(settled: CellStyle | StyleDoubt | undefined): settled is StyleDoubt {
  return settled !== undefined && 'sentence' in settled;
}

/** A column whose style is still open. */
interface OpenColumn {
  see(cell: string): void;
  /** What its own cells leave no doubt about. */
  sure(): CellStyle | undefined;
  /** Or why it stays open. */
  settle(header: string, sure: readonly CellStyle[]): CellStyle | StyleDoubt;
}

function openColumn({ fieldType, style }: AskedColumn): OpenColumn | undefined {
  if (fieldType === 'date' || fieldType === 'datetime') return style.dates === undefined ? new OpenDates() : undefined;
  const isNumeric = fieldType === 'number' || fieldType === 'currency';
  return isNumeric && style.decimal === undefined ? new OpenNumbers(fieldType) : undefined;
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

  settle(header: string, sure: readonly CellStyle[]): CellStyle | StyleDoubt {
    const possible = this.#possible ?? [];
    const agreed = possible.filter((format) => sure.some(({ dates }) => dates?.order === format.order));
    const [format, other] = agreed.length === 1 ? agreed : possible;
    if (other === undefined) return format === undefined ? {} : { dates: format };
    const dates = possible.map(({ name }) => name);
    const sentence = `The dates of the column ${quoted(header)} could be ${dates.join(' or ')}: ${quoted(this.#example)} does not tell.`;
    return { sentence, dates };
  }
}

class OpenNumbers implements OpenColumn {
  /** An example of each decimal mark that cells leave no doubt about. */
  readonly #seen = new Map<DecimalMark, string>();
  /** A cell that could be read in two ways. A number with a point, which is no amount, is read as the API reads it. */
  #doubtful: string | undefined;
  readonly #isMoney: boolean;

  constructor(fieldType: string) {
    this.#isMoney = fieldType === 'currency';
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

  settle(header: string, sure: readonly CellStyle[]): CellStyle | StyleDoubt {
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

function unclear(sentence: string): StyleDoubt {
  return { sentence, dates: undefined };
}
