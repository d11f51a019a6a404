// A process learns of a change of an org's schema within a second. Until then it may meet what it does not know: the request
// is then run again with the schema as it is.
import { Problem } from '../../base/problem.ts';

/** Something stored belongs to a schema that this process does not know yet. */
export class SchemaChanged extends Problem {
  constructor() {
    const detail = "The org's schema has just changed. Try again.";
    super('unavailable', 'overloaded', detail, { headers: { 'Retry-After': '1' } });
  }
}

const namesReasons: ReadonlySet<string | undefined> = new Set([
  'object_type_unknown',
  'association_type_unknown',
  'unknown_property',
  'unknown_option',
  'unknown_object_type',
]);

/** Whether the schema as it is may give another answer: something is not known that may have come meanwhile. */
export function mayBeStale(error: unknown): boolean {
  if (error instanceof SchemaChanged) return true;
  if (!(error instanceof Problem)) return false;
  return namesReasons.has(error.reason) || (error.errors ?? []).some(({ reason }) => namesReasons.has(reason));
}
