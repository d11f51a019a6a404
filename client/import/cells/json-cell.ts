// JSON in a CSV cell: export writes lists, phone numbers and amounts this way, and people may do so too.
import { describe, shorten } from '../described.ts';
import { type CellReading, type CellValue, misread } from './cell-form.ts';
import { repeatedMember } from './repeated-member.ts';

/** For a cell that begins like JSON: it is read as JSON and as nothing else. */
export function readJsonCell(cell: string, expected: string): CellReading {
  let value: CellValue;
  try {
    value = JSON.parse(cell) as CellValue;
  } catch {
    return misread(`Expected ${expected}; this begins like JSON but is not valid JSON: ${describe(cell)}.`);
  }
  const repeated = repeatedMember(cell, value);
  if (repeated === undefined) return { value };
  return misread(`Expected ${expected}; this JSON repeats the member ${JSON.stringify(shorten(repeated))}.`);
}
