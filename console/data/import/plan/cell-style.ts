// Between how a person says that cells are written and how they are read.
import type { CellStyle } from '../../../../client/import/cells/cell-style.ts';
import { dateFormatOf } from '../../../../client/import/cells/date-format.ts';
import { timeZoneOf, utc } from '../../../../client/import/cells/time-zone.ts';
import type { WrittenAs } from '../messages.ts';

export function styleOf({ dates, decimal, country, currency, timeZone }: WrittenAs): CellStyle {
  const format = dates === undefined ? undefined : dateFormatOf(dates);
  return {
    timeZone: timeZone === undefined ? utc : timeZoneOf(timeZone),
    ...(format === undefined ? {} : { dates: format }),
    ...(decimal === undefined ? {} : { decimal }),
    ...(country === undefined ? {} : { country }),
    ...(currency === undefined ? {} : { currency }),
  };
}

/** What the cells themselves have told. */
export function writtenAs({ dates, decimal }: CellStyle): WrittenAs {
  return { ...(dates === undefined ? {} : { dates: dates.name }), ...(decimal === undefined ? {} : { decimal }) };
}
