// How people wrote the values of a column, where that is not how the API takes them. Nothing here is guessed: whoever
// reads cells decides it, from what a person says or from all cells of a file.
import type { DateFormat } from './date-format.ts';
import type { DecimalMark } from './decimal.ts';
import type { TimeZone } from './time-zone.ts';

export interface CellStyle {
  readonly dates?: DateFormat;
  /** Absent: numbers are read only as the API takes them. */
  readonly decimal?: DecimalMark;
  /** The country of phone numbers without a calling code. */
  readonly country?: string;
  /** The currency of amounts without one. Absent: that of the org. */
  readonly currency?: string;
  /** For times without an offset. Absent: they are not read. */
  readonly timeZone?: TimeZone;
}

/** Values are read only as the API takes them. */
export const plainStyle: CellStyle = {};
