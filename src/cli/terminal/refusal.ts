// The reasons why a line of a file was refused, in one line of text.
import { shorten } from '../../../client/import/described.ts';
import { bounds } from '../../base/limits.ts';
import type { Fault, Problem } from '../../base/problem.ts';
import { plural, printable } from './text.ts';

/** Reports at most `most` errors. */
export function refusalText(line: number, problem: Problem, most: number): string {
  const { errors = [], message, conflict } = problem;
  const faults = errors.slice(0, most).map(faultText);
  const more = errors.length - faults.length;
  if (more > 0) faults.push(`And ${plural(more, 'more error')}.`);
  if (conflict?.existingId !== undefined) faults.push(`It is ${conflict.existingId}.`);
  const text = errors.length === 0 ? message : faults.join(' ');
  return printable(`line ${line}: ${text} (${problem.reason ?? problem.code})`);
}

/** Long values are cut: the line itself contains them. */
function faultText({ pointer = '', detail, allowed = [], nearest }: Fault): string {
  const place = pointer.replace(/^\/properties\/?/, '');
  const few = allowed.slice(0, bounds.cli.optionsPrinted);
  const more = allowed.length > few.length ? ` and ${allowed.length - few.length} more` : '';
  const options = few.length === 0 ? '' : ` Allowed: ${few.join(', ')}${more}.`;
  const hint = nearest === undefined ? '' : ` Did you mean "${nearest}"?`;
  return `${place === '' ? '' : `${shorten(place, 100)}: `}${detail}${options}${hint}`;
}
