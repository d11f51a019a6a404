// Refuses a file with a column that looks like the currency of its amounts, unless a person has decided about it in the map.
import { type CurrencyDoubt, CurrencyWatch } from '../../../client/import/currency-column.ts';
import type { CsvRows } from '../../../client/import/files/csv-file.ts';
import { reasonsHeader } from '../../../client/import/guess-columns.ts';
import { Failure } from '../../base/failure.ts';
import type { ImportPlan } from './plan.ts';
import { readColumns } from './read-row.ts';

/** `pieces` are all rows of the file, the header first. They are read only as far as a column needs it. */
export async function refuseCurrencyColumn(
  plan: ImportPlan,
  orgCurrency: string,
  pieces: AsyncIterable<CsvRows>,
): Promise<void> {
  const isMoney = (name: string) => plan.type.properties.get(name)?.fieldType.comparison === 'money';
  const amounts = readColumns(plan.type, plan.columns).filter(
    ({ property, unitIndex }) => isMoney(property.name) && unitIndex === undefined,
  );
  const ignored = plan.columns.flatMap(({ header, use, decidedBy }, index) =>
    use.kind !== 'ignored' || decidedBy === 'map' || header === reasonsHeader ? [] : [{ index, header }],
  );
  const watch = new CurrencyWatch(ignored, amounts, orgCurrency);
  if (!watch.isOpen) return;
  let isHeader = true;
  for await (const { rows } of pieces) {
    for (const row of rows) {
      if (!isHeader) refuse(watch.see(row));
      isHeader = false;
    }
    if (!watch.isOpen) return;
  }
  refuse(watch.end());
}

function refuse(doubt: CurrencyDoubt | undefined): void {
  if (doubt === undefined) return;
  const { header, property, sentence } = doubt;
  throw new Failure(
    'usage',
    sentence,
    `Say so with --map: {${JSON.stringify(header)}: {"property": "${property}", "part": "unit"}}, or ignore the column: ` +
      `{${JSON.stringify(header)}: null}. Nothing was imported.`,
  );
}
