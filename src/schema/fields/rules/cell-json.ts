// JSON in a cell of a table: as export writes lists, phone numbers and amounts, and as people may write them.
import { describe, type Json } from '../../../base/json.ts';
import { repeatedMember } from '../../../base/repeated-member.ts';
import type { CellReading } from '../../field-type.ts';
import { wrongShape } from './texts.ts';

/** For a cell that begins like JSON: whoever wrote it meant JSON, so that nothing else is made of it. */
export function readJsonCell(cell: string, expected: string): CellReading {
  let value: Json;
  try {
    value = JSON.parse(cell) as Json;
  } catch {
    return { fault: wrongShape(`Expected ${expected}; this begins like JSON and is none: ${describe(cell)}.`) };
  }
  const twice = repeatedMember(cell, value);
  if (twice === undefined) return { value };
  return { fault: wrongShape(`Expected ${expected}; in this JSON a member stands twice: ${describe(twice)}.`) };
}
