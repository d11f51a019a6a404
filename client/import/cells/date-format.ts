// Reads days and times in the forms of spreadsheets and other programs. A format says the order of day, month and year;
// a time may follow the day in any usual form. Days as YYYY-MM-DD mean one thing and need no format.
import { isDate } from './calendar.ts';

/** A day, and the time of day and offset where the cell has them. */
interface ReadMoment {
  /** YYYY-MM-DD. */
  readonly day: string;
  /** HH:mm:ss, with up to six digits of a fraction. */
  readonly time?: string;
  /** Z or ±hh:mm. */
  readonly offset?: string;
}

export interface DateFormat {
  /** As a person writes it, such as DD/MM/YYYY. */
  readonly name: string;
  /** The same for all formats that read days alike. */
  readonly order: string;
  read(cell: string): ReadMoment | undefined;
}

/** The format that a person named; undefined if it is none. */
export function dateFormatOf(name: string): DateFormat | undefined {
  const text = name.trim();
  if (/^excel$/i.test(text)) return compile('excel');
  const day = text.replace(timeTokens, '').trim();
  const tokens = day.match(token) ?? [];
  const kinds = tokens.flatMap((each) => (each[0] === 'd' ? [] : [each[0]]));
  const known = /^[DMYd\s,./-]+$/.test(day) && kinds.length === 3 && new Set(kinds).size === 3;
  return known && tokens.every((each) => Object.hasOwn(patterns, each)) ? { ...compile(day), name: text } : undefined;
}

/** A time at the end of a format, such as "HH:mm:ss" or "h:mm A": cells may have any time there. */
const timeTokens = /[\sT,]*(HH?|hh?):mm(:ss(\.S+)?)?(\s*[aA])?(\s*(Z+|XXX?))?$/;
const token = /D+|M+|Y+|d+/g;
const patterns: Readonly<Record<string, string>> = {
  D: '(?<day>\\d{1,2})',
  DD: '(?<day>\\d{1,2})',
  M: '(?<month>\\d{1,2})',
  MM: '(?<month>\\d{1,2})',
  MMM: '(?<name>[a-z]{3,9})\\.?',
  MMMM: '(?<name>[a-z]{3,9})\\.?',
  YY: '(?<short>\\d{2})',
  YYYY: '(?<year>\\d{4})',
  ddd: '[a-z]{3,9}',
};

function compile(name: string): DateFormat {
  if (name === 'excel') return { name, order: name, read: readSerialDay };
  const order = name.replace(/D+/g, 'DD').replace(/M+/g, (months) => (months.length < 3 ? 'MM' : 'MMM'));
  const source = name
    .split(/(D+|M+|Y+|d+|\s+)/)
    .map((part) => patterns[part] ?? (/^\s+$/.test(part) ? '\\s+' : part.replace(/[./-]/g, '\\$&')))
    .join('');
  const pattern = new RegExp(`^${source}(?<rest>$|[T\\s,].*$)`, 'i');
  return { name, order, read: (cell) => readDay(pattern.exec(cell.trim())?.groups) };
}

/** The formats that the cells of a file may agree on. The first two are the reason why agreement is needed. */
export const usualFormats: readonly DateFormat[] = [
  ...'DD/MM/YYYY MM/DD/YYYY DD-MM-YYYY MM-DD-YYYY DD.MM.YYYY YYYY/MM/DD YYYY.MM.DD'.split(' '),
  ...'DD/MM/YY MM/DD/YY DD.MM.YY'.split(' '),
  ...['D MMM YYYY', 'D-MMM-YYYY', 'D-MMM-YY', 'D. MMM YYYY', 'MMM D, YYYY', 'MMM D YYYY', 'ddd, D MMM YYYY', 'excel'],
].map(compile);

const iso = compile('YYYY-MM-DD');

/** A day as YYYY-MM-DD with a time after it, whatever separates them. */
export function readIsoMoment(cell: string): ReadMoment | undefined {
  return iso.read(cell);
}

const months = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');

function readDay(found: Readonly<Record<string, string | undefined>> | undefined): ReadMoment | undefined {
  if (found === undefined) return undefined;
  const { day = '', month, name, year, short, rest = '' } = found;
  const number = month ?? String(months.indexOf((name ?? '').slice(0, 3).toLowerCase()) + 1);
  const whole = `${year ?? centuryOf(short ?? '')}-${number.padStart(2, '0')}-${day.padStart(2, '0')}`;
  return isDate(whole) ? withTime(whole, rest) : undefined;
}

/** Two digits are a year from 1970 to 2069, as spreadsheets read them. */
function centuryOf(short: string): string {
  return `${Number(short) >= 70 ? 19 : 20}${short}`;
}

const time =
  /^(?:T|,?\s+(?:at\s+)?)(?<hour>\d{1,2}):(?<minute>[0-5]\d)(?::(?<second>[0-5]\d)(?:\.(?<fraction>\d+))?)?(?:\s*(?<half>[ap])\.?m\.?)?\s*(?<zone>Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?)?$/i;

function withTime(day: string, rest: string): ReadMoment | undefined {
  if (rest.trim() === '') return { day };
  const found = time.exec(rest)?.groups;
  if (found === undefined) return undefined;
  const { hour = '', minute, second = '00', fraction, half, zone } = found;
  const hours = hourOf(Number(hour), half?.toLowerCase());
  if (hours === undefined) return undefined;
  const part = fraction === undefined ? '' : `.${fraction.slice(0, 6)}`;
  const read = { day, time: `${String(hours).padStart(2, '0')}:${minute}:${second}${part}` };
  return zone === undefined ? read : { ...read, offset: offsetOf(zone) };
}

function hourOf(hour: number, half: string | undefined): number | undefined {
  if (half === undefined) return hour < 24 ? hour : undefined;
  if (hour < 1 || hour > 12) return undefined;
  return (hour % 12) + (half === 'p' ? 12 : 0);
}

function offsetOf(zone: string): string {
  if (/^[a-z]/i.test(zone)) return 'Z';
  const digits = zone.slice(1).replace(':', '').padEnd(4, '0');
  return `${zone[0]}${digits.slice(0, 2)}:${digits.slice(2)}`;
}

/** Day 25569 of a spreadsheet is 1970-01-01; five digits are the days from 1927 to 2173. */
const serialDay = /^(?<days>[1-9]\d{4})(?<part>\.\d+)?$/;
const firstDay = 25_569;
const dayMs = 86_400_000;

function readSerialDay(cell: string): ReadMoment | undefined {
  const found = serialDay.exec(cell.trim())?.groups;
  if (found === undefined) return undefined;
  const { days, part } = found;
  const seconds = Math.round(Number(part ?? 0) * 86_400);
  const text = new Date((Number(days) - firstDay) * dayMs + seconds * 1_000).toISOString();
  const day = text.slice(0, 10);
  return part === undefined ? { day } : { day, time: text.slice(11, 19) };
}
