// The offset that a time zone has at a local time, for times that were written without one.

export interface TimeZone {
  readonly name: string;
  /** Z or ±hh:mm. A time that the clocks skip has the offset from before; one that they repeat, that of its first pass. */
  offsetAt(day: string, time: string): string;
}

export const utc: TimeZone = { name: 'UTC', offsetAt: () => 'Z' };

/** `name` is one that the field type "timezone" accepts. */
export function timeZoneOf(name: string): TimeZone {
  if (name === 'UTC') return utc;
  const format = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' });
  const minutesAt = (ms: number) => {
    const part = format.formatToParts(ms).find(({ type }) => type === 'timeZoneName')?.value ?? '';
    const [, sign, hours = 0, minutes = 0] = /([+-])(\d{2}):(\d{2})/.exec(part) ?? [];
    return (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1);
  };
  return {
    name,
    offsetAt: (day, time) => {
      const local = Date.parse(`${day}T${time.slice(0, 8)}Z`);
      const before = minutesAt(local - 86_400_000);
      const after = minutesAt(local + 86_400_000);
      const isBefore = minutesAt(local - before * 60_000) === before;
      const isAfter = minutesAt(local - after * 60_000) === after;
      return offsetText(isBefore || !isAfter ? before : after);
    },
  };
}

function offsetText(minutes: number): string {
  const size = Math.abs(minutes);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}
