import { expect, test } from 'vitest';
import type { CsvRows } from '../../../client/import/files/csv-file.ts';
import { builtinCatalog } from '../../schema/custom/build-catalog.ts';
import { emptyMap, type ImportMap, parseMap } from './column-map.ts';
import { refuseCurrencyColumn } from './currency-column.ts';
import { planImport } from './plan.ts';

/** The lines of a file of deals, without quotes; cells are separated by commas. */
type Lines = readonly string[];

const noMap: ImportMap = emptyMap;

/** The refusal of an org whose currency is EUR, and how many pieces of the file were read for it. Each line is a piece. */
async function judged(
  lines: Lines,
  map = noMap,
): Promise<{ readonly refusal: string | undefined; readonly read: number }> {
  const type = builtinCatalog.objectTypes.get('svc_deal');
  if (type === undefined) throw new Error('svc_deal');
  const rows = lines.map((line) => line.split(','));
  const plan = planImport({
    catalog: builtinCatalog,
    type,
    headers: rows[0] ?? [],
    rows: rows.slice(1),
    currency: 'EUR',
    map,
    match: undefined,
  });
  let read = 0;
  async function* pieces(): AsyncGenerator<CsvRows> {
    for (const [index, cells] of rows.entries()) {
      read++;
      yield { rows: [{ line: index + 1, cells, fault: undefined, characters: 1 }], bytesRead: index };
    }
  }
  const refusal = await refuseCurrencyColumn(plan, 'EUR', pieces()).then(
    () => undefined,
    (error: { message: string; fix: string }) => `${error.message} ${error.fix}`,
  );
  return { refusal, read };
}

const refusalOf = async (lines: Lines, map = noMap) => (await judged(lines, map)).refusal;

test('a column of another currency is refused, with the line, what would be stored, and what to do', async () => {
  expect(await refusalOf(['Deal Name,Amount,Currency', 'X,1000,USD'])).toBe(
    'The column "Currency" looks like the currency of svc_amount, and nothing says so: line 2 says USD, but "1000" would be ' +
      'stored in EUR. Say so with --map: {"Currency": {"property": "svc_amount", "part": "unit"}}, or ignore the column: ' +
      '{"Currency": null}. Nothing was imported.',
  );
});

test.each<[what: string, lines: Lines]>([
  ['in small letters', ['Name,Amount,Currency', 'X,1,usd']],
  ['that begins late', ['Name,Amount,Currency', ...Array(5).fill('X,1,'), 'X,1,GBP']],
  ['after the currency of the org', ['Name,Amount,Currency', 'X,1,EUR', 'X,1,GBP']],
  ['among other values', ['Name,Amount,Currency', 'X,1,none', 'X,1,RON']],
  ['in another language', ['Name,Amount,Währung', 'X,1,CHE']],
  ['named as other programs do', ['Name,Amount,CurrencyIsoCode', 'X,1,BOB']],
  ['named by a short word', ['Name,Amount,deal_ccy', 'X,1,TRY']],
  ['under any header, if it has nothing but codes', ['Name,Amount,Unit', 'X,1,', 'X,1,EUR', 'X,2,USD', 'X,3,ALL']],
  ['that disagrees with the currency in the cell of the amount', ['Name,Amount,Currency', 'X,1 EUR,USD']],
])('a currency %s is refused', async (_, lines) => {
  expect(await refusalOf(lines)).toContain('looks like the currency of svc_amount');
});

test.each<[what: string, lines: Lines]>([
  ['the currency of the org', ['Name,Amount,Currency', 'X,1,EUR', 'X,2,eur', 'X,3,']],
  ['what the cells of the amounts say too', ['Name,Amount,Currency', 'X,1 USD,USD', 'X,GBP 2,gbp', 'X,,CHF']],
  ['no currency', ['Name,Amount,Currency', 'X,1,n/a', 'X,2,']],
  ['names of people', ['Name,Amount,Owner', 'X,1,BOB', 'X,2,ron', 'X,3,Bob']],
  ['names among which is a code', ['Name,Amount,Owner', 'X,1,USD', 'X,2,Ada']],
  ['countries', ['Name,Amount,Country', 'X,1,CHE', 'X,2,SLE', 'X,3,USA']],
  ['words', ['Name,Amount,Team', 'X,1,ALL', 'X,2,TOP']],
  ['a currency beside no amount', ['Name,Currency', 'X,USD']],
])('a column with %s is not refused', async (_, lines) => {
  expect(await refusalOf(lines)).toBeUndefined();
});

test('a person can say that the column has the currency, or is ignored', async () => {
  const lines = ['Name,Amount,Currency', 'X,1,USD'];
  const unit = { Currency: { property: 'svc_amount', part: 'unit' } };
  expect(await refusalOf(lines, parseMap(unit, {}))).toBeUndefined();
  expect(await refusalOf(lines, parseMap({ Currency: null }, {}))).toBeUndefined();
  expect(await refusalOf(lines, parseMap({ Name: null }, {}))).toBeDefined();
});

test('the file is read only while a column can still be one of currencies', async () => {
  const rest: Lines = Array(9).fill('X,1,Berlin');
  expect((await judged(['Name,Amount', ...rest])).read).toBe(0);
  expect((await judged(['Name,City', ...rest])).read).toBe(0);
  expect((await judged(['Name,Amount,City', ...rest])).read).toBe(2);
  expect((await judged(['Name,Amount,Currency', 'X,1,USD', ...rest])).read).toBe(2);
});
