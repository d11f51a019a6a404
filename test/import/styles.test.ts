// Cells as other programs write them: local dates, numbers, currencies and phone numbers, lists in several columns, and
// what a file's cells have to agree on before a date or an amount is read.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Client } from '../support/client.ts';
import { ImportFolder, type ImportOptions } from '../support/import/driver.ts';
import { recordsPath } from '../support/records.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let folder: ImportFolder;
let orgId: number;
let client: Client;
beforeAll(async () => {
  service = await startService();
  folder = await ImportFolder.make();
  orgId = await service.createOrg();
  client = service.client((await service.createKey(orgId)).key);
});
afterAll(async () => {
  await service.stop();
  await folder.remove();
});

type Values = Readonly<Record<string, unknown>>;

/** Imports the lines; returns what was told, and the named values of the records that the import made. */
async function imported(type: string, lines: readonly string[], options: ImportOptions = {}) {
  const before = (await client.get(`${recordsPath(type)}?limit=500`)).body.data.length;
  const end = await folder.run(service, orgId, type, `${lines.join('\n')}\n`, options);
  const { data } = (await client.get(`${recordsPath(type)}?limit=500`)).body;
  const records: readonly Values[] = data
    .slice(before)
    .map(({ properties: { svc_created_at: _, svc_updated_at: __, ...rest } }: { properties: Values }) => rest);
  return { ...end, records };
}

test('dates and amounts of another program are read as all cells of their columns agree', async () => {
  const { records, told, failure } = await imported('svc_deal', [
    'Deal Name,Amount,Close Date',
    'A,"$1,000.00",3/1/2026',
    'B,"$2,500",12/31/2026',
    'C,,2026-03-31 15:02',
  ]);
  expect(failure).toBeUndefined();
  expect(told).toContain('  "Close Date": svc_close_date (dates as MM/DD/YYYY)');
  expect(records).toEqual([
    { svc_name: 'A', svc_amount: { amount: '1000.00', unit: 'USD' }, svc_close_date: '2026-03-01' },
    { svc_name: 'B', svc_amount: { amount: '2500', unit: 'USD' }, svc_close_date: '2026-12-31' },
    { svc_name: 'C', svc_close_date: '2026-03-31' },
  ]);
});

test('what could be read in two ways is refused before anything is stored, unless a person or another column says', async () => {
  const dates = ['Deal Name,Close Date', 'A,3/1/2026'];
  const refused = await imported('svc_deal', dates);
  expect([refused.failure?.exitStatus, refused.failure?.message, refused.failure?.fix, refused.records]).toEqual([
    2,
    'The dates of the column "Close Date" could be DD/MM/YYYY or MM/DD/YYYY: "3/1/2026" does not tell.',
    'Say which with --date-format DD/MM/YYYY or MM/DD/YYYY. Nothing was imported.',
    [],
  ]);
  const said = await imported('svc_deal', dates, { dateFormat: 'D/M/YYYY' });
  expect(said.records).toEqual([{ svc_name: 'A', svc_close_date: '2026-01-03' }]);
  const mapped = await imported('svc_deal', dates, {
    map: { columns: { 'Close Date': { property: 'svc_close_date', date_format: 'M/D/YYYY' } } },
  });
  expect(mapped.records).toEqual([{ svc_name: 'A', svc_close_date: '2026-03-01' }]);

  const numbers = ['Deal Name,Amount', 'A,"1,000"'];
  const { failure, records } = await imported('svc_deal', numbers);
  expect([failure?.message, records]).toEqual([
    'The numbers of the column "Amount" can be read in two ways: "1,000" does not tell which.',
    [],
  ]);
  const whole = await imported('svc_deal', ['Deal Name,Amount', 'A,1.000', 'B,900']);
  expect(whole.failure?.message).toMatch(/"Amount" can be read in two ways: "1.000" does not tell which/);
  const mixed = await imported('svc_company', ['Name,Employees', 'A,"1,5"', 'B,2.5']);
  expect([mixed.failure?.message, mixed.records]).toEqual([
    'The numbers of the column "Employees" are written in two ways: "1,5" and "2.5".',
    [],
  ]);
  const other = await imported('svc_contact', ['First name,Job start,Since', 'A,3/1/2026,31/12/2020'], {
    map: { Since: { created_at: true, date_format: 'D/M/YYYY HH:mm' } },
  });
  expect(other.records).toMatchObject([{ svc_job_start_date: '2026-01-03' }]);
  const comma = await imported('svc_deal', numbers, { decimal: '1.234,56' });
  expect(comma.records).toEqual([{ svc_name: 'A', svc_amount: { amount: '1.000', unit: 'USD' } }]);
  const companies = await imported('svc_company', [
    'Name,Annual revenue,Employees',
    'A,"1.234,5","1.000"',
    'B,"2,5",7',
  ]);
  expect(companies.told).toContain('  "Employees": svc_employee_count (decimal comma)');
  expect(companies.records).toEqual([
    { svc_name: 'A', svc_annual_revenue: '1234.5', svc_employee_count: '1000' },
    { svc_name: 'B', svc_annual_revenue: '2.5', svc_employee_count: '7' },
  ]);
});

test('cells that disagree are read as the API reads them, and the others are refused', async () => {
  const { records, failure } = await imported('svc_deal', [
    'Deal Name,Close Date',
    'A,31/12/2026',
    'B,12/31/2026',
    'C,2026-12-31',
  ]);
  expect(failure?.exitStatus).toBe(3);
  expect(records).toEqual([{ svc_name: 'C', svc_close_date: '2026-12-31' }]);
});

test('a column with the currency of the amounts is read where the map says so', async () => {
  const unit = { property: 'svc_amount', part: 'unit' };
  const lines = ['Deal Name,Amount,Currency', 'A,"1,000.50",eur', 'B,5,', 'C,5 USD,GBP', 'D,5,XXZ', 'E,,'];
  const { records, result, failure } = await imported('svc_deal', lines, { map: { Currency: unit } });
  expect(records).toEqual([{ svc_name: 'A', svc_amount: { amount: '1000.50', unit: 'EUR' } }, { svc_name: 'E' }]);
  expect([failure?.exitStatus, result?.refused]).toEqual([3, 3]);
  const errors = await readFile(result?.errors_file ?? '', 'utf8');
  expect(errors).toContain('line 3: svc_amount: Expected an amount with its currency;');
  expect(errors).toContain('The amount is in USD, and the column with its currency says GBP.');
  expect(errors).toContain('Expected a currency as an ISO 4217 code');
  const alone = await imported('svc_deal', ['Deal Name,Currency', 'A,EUR'], { map: { Currency: unit } });
  expect(alone.failure?.message).toMatch(/has the currency of svc_amount, but no column has its amounts/);
});

test('phone numbers of a country, in several columns, become one list without repetition', async () => {
  const lines = [
    'First name,Phone,MobilePhone',
    'A,020 7946 0958,+1 415 555 0123',
    'B,020 7946 0958,+44 20 7946 0958',
    'C,,07700 900123',
  ];
  const { records, told } = await imported('svc_contact', lines, { country: 'GB' });
  expect(told).toContain('  "MobilePhone": svc_phone_number (numbers of GB)');
  const british = (national_number: string) => ({ country_code: 'GB', national_number });
  expect(records.map((values) => values['svc_phone_number'])).toEqual([
    [british('2079460958'), { country_code: 'US', national_number: '4155550123' }],
    [british('2079460958')],
    [british('7700900123')],
  ]);
});

test('rows are taken without their bad cells where a person says so, and the errors file tells of it', async () => {
  const lines = [
    'First name,Phone,MobilePhone,Lead score,Email',
    'A,call me,+1 415 555 0123,tepid,',
    'B,,,hot,b@x',
    'C,,,warm,c',
  ];
  const { records, result, failure } = await imported('svc_contact', lines, { badCells: 'drop' });
  expect([result?.created, result?.incomplete, result?.refused, failure?.exitStatus]).toEqual([2, 1, 1, 3]);
  expect(records).toEqual([
    { svc_first_name: 'A', svc_phone_number: [{ country_code: 'US', national_number: '4155550123' }] },
    { svc_first_name: 'B', svc_lead_score: 'hot', svc_email: ['b@x'] },
  ]);
  const errors = await readFile(result?.errors_file ?? '', 'utf8');
  expect(errors).toMatch(
    /"line 2: svc_phone_number\/0: .*svc_lead_score: .*The row was imported without this\.",A,call me/,
  );
  // An address is unique: its row is refused, as without the option.
  expect(errors).toMatch(/"line 4: svc_email\/0: [^\n]*\(wrong_shape\)",C/);
});

test('times without an offset are those of the time zone that is named', async () => {
  const lines = ['Subject,Started', 'A,2026-03-31 15:02', 'B,2026-03-31T15:02:00Z'];
  const { records, told } = await imported('svc_call', lines, { timeZone: 'Europe/Berlin' });
  expect(told).toContain('  Times without an offset are in Europe/Berlin.');
  expect(records.map((values) => values['svc_started_at'])).toEqual([
    '2026-03-31T15:02:00+02:00',
    '2026-03-31T15:02:00Z',
  ]);
});

test('a file may name its delimiter in its first line, and a workbook is refused in one sentence', async () => {
  const { records } = await imported('svc_company', ['sep=;', 'Name;City', 'A, B;Oslo']);
  expect(records).toEqual([{ svc_name: 'A, B', svc_city: 'Oslo' }]);
  for (const head of ['504b030414000600', 'd0cf11e0a1b11ae1']) {
    const { failure } = await folder.run(service, orgId, 'svc_company', Buffer.from(head, 'hex'));
    expect([failure?.exitStatus, failure?.message]).toEqual([
      11,
      expect.stringContaining('is a workbook of a spreadsheet'),
    ]);
  }
});

test('the map of an import can be written, and read again to the same import', async () => {
  const lines = ['Deal Name,Amount,Close Date,Mood', 'A,"1.000,50",31.12.2026,good'];
  const mapOut = join(folder.path, 'map-out.json');
  const { records } = await imported('svc_deal', lines, { mapOut, timeZone: 'Europe/Berlin' });
  const map = JSON.parse(await readFile(mapOut, 'utf8'));
  expect(map).toEqual({
    columns: {
      'Deal Name': 'svc_name',
      Amount: { property: 'svc_amount', decimal: ',' },
      'Close Date': { property: 'svc_close_date', date_format: 'DD.MM.YYYY' },
    },
    options: { time_zone: 'Europe/Berlin' },
  });
  expect((await imported('svc_deal', lines, { map })).records).toEqual(records);
  // A refused file leaves no map behind that would let it pass.
  const currencies = ['Deal Name,Amount,Currency', 'A,5,EUR'];
  const refusedOut = join(folder.path, 'refused-map.json');
  const refused = await imported('svc_deal', currencies, { mapOut: refusedOut });
  expect(refused.failure?.message).toMatch(/looks like the currency of svc_amount/);
  await expect(readFile(refusedOut)).rejects.toThrow('ENOENT');
  const again = await imported('svc_deal', lines, { mapOut });
  expect([again.failure?.exitStatus, again.failure?.message]).toEqual([11, expect.stringContaining('already exists')]);
});
