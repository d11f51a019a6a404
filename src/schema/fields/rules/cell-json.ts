// JSON in a CSV cell: export writes lists, phone numbers and amounts this way, and people may do so too.
import { describe, type Json, shorten } from '../../../base/json.ts';
import { repeatedMember } from '../../../base/json-text/repeated-member.ts';
import type { CellReading } from '../../field-type.ts';
import { wrongShape } from './texts.ts';

/** For a cell that begins like JSON: it is read as JSON and as nothing else. */
export function readJsonCell(cell: string, expected: string): CellReading {
  let value: Json;
  try {
    value = JSON.parse(cell) as Json;
  } catch {
    return {
      fault: wrongShape(`Expected ${expected}; this begins like JSON but is not valid JSON: ${describe(cell)}.`),
    };
  }
  const repeated = repeatedMember(cell, value);
  if (repeated === undefined) return { value };
  return {
    fault: wrongShape(`Expected ${expected}; this JSON repeats the member ${JSON.stringify(shorten(repeated))}.`),
  };
}
