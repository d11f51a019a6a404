// Days and moments for the expected aggregates: microseconds since 1970, and buckets in any time zone (contract 5). The
// zones are those of the JavaScript engine, not those of the database.

export const granularities = ['day', 'week', 'month', 'quarter', 'year'] as const;
export type Granularity = 'hour' | (typeof granularities)[number];

const moment = /^(\d{4}-\d{2}-\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,6}))?(Z|[+-]\d{2}:\d{2})$/;

/** Microseconds since 1970; the offset decides which moment it is, and nothing else. */
export function parseMoment(text: string): bigint {
  const [, day = '', hours, minutes, seconds, part = '', zone = ''] = moment.exec(text) ?? [];
  if (day === '') throw new Error(`${JSON.stringify(text)} is not a moment.`);
  const offset = zone === 'Z' ? 0 : Number(`${zone[0]}1`) * (Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4)));
  const passed = (Number(hours) * 60 + Number(minutes) - offset) * 60 + Number(seconds);
  return (BigInt(Date.parse(`${day}T00:00:00Z`)) / 1_000n + BigInt(passed)) * 1_000_000n + BigInt(part.padEnd(6, '0'));
}

/** The first day of the bucket that the day falls into. */
export function bucketOfDay(day: string, granularity: Exclude<Granularity, 'hour'>): string {
  const date = new Date(`${day}T00:00:00Z`);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  switch (granularity) {
    case 'day':
      return day;
    case 'week':
      // Monday is the first day: Sunday, which is 0 here, is the seventh.
      date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7));
      return date.toISOString().slice(0, 10);
    case 'month':
      return firstOf(year, month);
    case 'quarter':
      return firstOf(year, month - (month % 3));
    case 'year':
      return firstOf(year, 0);
  }
}

function firstOf(year: number, month: number): string {
  return `${String(year).padStart(4, '0')}-${String(month + 1).padStart(2, '0')}-01`;
}

interface Bucket {
  readonly key: string;
  /** The order of buckets of one granularity and zone. */
  readonly rank: bigint | string;
}

/** The bucket of a moment, as the clocks of the zone show it. */
export function bucketOfMoment(text: string, granularity: Granularity, zone: string): Bucket {
  const micros = parseMoment(text);
  const seconds = micros / 1_000_000n - (micros % 1_000_000n < 0n ? 1n : 0n);
  const local = localTime(Number(seconds), zone);
  if (granularity !== 'hour') {
    const key = bucketOfDay(local.day, granularity);
    return { key, rank: key };
  }
  const key = `${local.day}T${local.hour}:00:00${local.offset}`;
  return { key, rank: parseMoment(key) };
}

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });
  formats.set(zone, format);
  return format;
}

function localTime(seconds: number, zone: string): { day: string; hour: string; offset: string } {
  const parts = Object.fromEntries(
    formatOf(zone)
      .formatToParts(seconds * 1_000)
      .map(({ type, value }) => [type, value]),
  );
  const day = `${(parts['year'] ?? '').padStart(4, '0')}-${parts['month']}-${parts['day']}`;
  const asUtc = Date.parse(`${day}T${parts['hour']}:${parts['minute']}:${parts['second']}Z`) / 1_000;
  const minutes = Math.round((asUtc - seconds) / 60);
  const size = Math.abs(minutes);
  const clock = [Math.floor(size / 60), size % 60].map((part) => String(part).padStart(2, '0')).join(':');
  return { day, hour: parts['hour'] ?? '', offset: `${minutes < 0 ? '-' : '+'}${clock}` };
}
