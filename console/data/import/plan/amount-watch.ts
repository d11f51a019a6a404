// Watches the amounts of a file: each needs a currency, its own, that of another column, or one that a person has said. Pages do
// not know the currency of the org.
import { CurrencyWatch } from '../../../../client/import/currency-column.ts';
import type { CsvRow } from '../../../../client/import/files/csv-rows.ts';
import { readValue, type ValueColumn } from '../../../../client/import/read-row.ts';
import { runTexts } from '../../../text/import-run-texts.ts';
import type { ColumnUse, PlanFault } from '../messages.ts';
import type { ImportSchema } from './described-schema.ts';
import { valueColumns } from './value-columns.ts';

/** Any currency: a cell that can be read with it, and not without, lacks its own. */
const anyCurrency = 'EUR';

export class AmountWatch {
  readonly #watch: CurrencyWatch;
  readonly #columnFaults: PlanFault[] = [];
  readonly #bare = new Map<number, { readonly line: number; readonly cell: string }>();
  #unsaid: readonly ValueColumn[];

  constructor(
    schema: ImportSchema,
    uses: readonly ColumnUse[],
    ignored: readonly { readonly index: number; readonly header: string }[],
  ) {
    const isMoney = ({ property }: ValueColumn) => schema.properties.get(property.name)?.field_type === 'currency';
    const amounts = valueColumns(schema, uses).filter((column) => column.unitIndex === undefined && isMoney(column));
    // Beside a currency that nobody has said, any code is another one.
    this.#watch = new CurrencyWatch(ignored, amounts, 'XXX');
    this.#unsaid = amounts.filter(({ style }) => style.currency === undefined);
  }

  /** Whether more rows could still tell something. */
  get isOpen(): boolean {
    return this.#unsaid.length > 0 || (this.#watch.isOpen && this.#columnFaults.length === 0);
  }

  see(row: CsvRow): void {
    const doubt = this.#columnFaults.length > 0 ? undefined : this.#watch.see(row);
    if (doubt !== undefined) this.#columnFaults.push({ column: doubt.index, detail: runTexts.currencyColumn(doubt) });
    this.#unsaid = this.#unsaid.filter((column) => {
      const cell = row.cells[column.index] ?? '';
      if (!lacksCurrency(column, cell)) return true;
      this.#bare.set(column.index, { line: row.line, cell });
      return false;
    });
  }

  /** After the last row. */
  faults(headerOf: (index: number) => string): readonly PlanFault[] {
    const late = this.#columnFaults.length > 0 ? undefined : this.#watch.end();
    const columns =
      late === undefined ? this.#columnFaults : [{ column: late.index, detail: runTexts.currencyColumn(late) }];
    if (columns.length > 0) return columns;
    return [...this.#bare].map(([column, { line, cell }]) => ({
      column,
      detail: runTexts.noCurrency(headerOf(column), line, cell),
      choose: 'currency',
    }));
  }
}

function lacksCurrency({ property, style }: ValueColumn, cell: string): boolean {
  const isRead = (currency: string) =>
    !('fault' in readValue({ index: 0, property, style, unitIndex: undefined }, cell, [], currency));
  if (cell.trim() === '') return false;
  // A sign that many currencies share, such as $, lacks one too, but no other currency makes up for it.
  return isRead(anyCurrency) && !isOwn(property, style, cell);
}

/** Whether the cell says its currency: then it is the same in whatever currency others are. */
function isOwn(property: ValueColumn['property'], style: ValueColumn['style'], cell: string): boolean {
  const [one, other] = [anyCurrency, 'USD'].map((currency) =>
    JSON.stringify(readValue({ index: 0, property, style, unitIndex: undefined }, cell, [], currency)),
  );
  return one === other;
}
