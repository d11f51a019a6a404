// Why a row was refused, in one line for a person.
import { shorten } from '../base/json.ts';
import { bounds } from '../base/limits.ts';
import type { Fault } from '../base/problem.ts';
import type { RefusedRow } from '../engine/import-batch.ts';
import { printable } from './printable.ts';

export function refusalText({ row, problem }: RefusedRow): string {
  const { errors = [], message, conflict } = problem;
  const faults = errors.slice(0, bounds.faultsToldOfRow).map(faultText);
  const more = errors.length - faults.length;
  if (more > 0) faults.push(`And ${more} more faults.`);
  if (conflict?.existing_id !== undefined) faults.push(`It is ${conflict.existing_id}.`);
  const text = errors.length === 0 ? message : faults.join(' ');
  return printable(`line ${row.line}: ${text} (${problem.reason ?? problem.code})`);
}

/** Values that differ from row to row are cut: the row itself has them. */
function faultText({ pointer = '', detail, allowed = [] }: Fault): string {
  const place = pointer.replace(/^\/properties\/?/, '');
  const few = allowed.slice(0, bounds.optionsTold).map(String);
  const more = allowed.length > few.length ? ` and ${allowed.length - few.length} more` : '';
  const options = few.length === 0 ? '' : ` Allowed: ${few.join(', ')}${more}.`;
  return `${place === '' ? '' : `${shorten(place, 100)}: `}${detail}${options}`;
}
