// Applies what was read from a file, whatever it is. Errors of its shape do not hide the others: those that do not depend
// on them are reported with them.
import type { Fault } from '../../base/problem.ts';
import { type Applied, applySchema } from './apply-schema.ts';
import { type CustomSchema, schemaFileShape } from './custom-schema.ts';
import { repairFile } from './repair-file.ts';

/** The new schema, with every error; if there is an error, the schema must not be stored. */
export function applyFile(current: CustomSchema, value: unknown): Pick<Applied, 'schema' | 'faults'> {
  if (schemaFileShape.admits(value)) return applySchema(current, value);
  const faults = schemaFileShape.check(value);
  const repaired = repairFile(value, faults);
  if (repaired === undefined) return { schema: current, faults };
  const others = applySchema(current, repaired.file, repaired.doubts).faults;
  return {
    schema: current,
    faults: [...faults, ...others.filter((other) => !faults.some((each) => holds(each, other)))],
  };
}

/** Whether the other error is at the place of this one or below it, so that it may come from the repair. */
function holds({ pointer = '' }: Fault, { pointer: other = '' }: Fault): boolean {
  return other === pointer || other.startsWith(`${pointer}/`);
}
