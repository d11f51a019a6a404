// Checks unknown JSON against a declared shape and reports every error in our own words. A shape is declared once, with
// typebox: it gives the TypeScript type, this check and the schema in the OpenAPI document.
import type { Static, TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import type { JsonSchema } from './json.ts';
import { bounds } from './limits.ts';
import type { Fault } from './problem.ts';
import { faultsOf } from './shape-faults.ts';

export interface Shape<T> {
  readonly schema: JsonSchema;
  /** The errors of the value, at most `most` of them; if there are none, it is a T. */
  check(value: unknown, most?: number): readonly Fault[];
  admits(value: unknown): value is T;
}

export function shape<S extends TSchema>(schema: S): Shape<Static<S>> {
  // Compiled at first use: most commands never use it, and should not wait for it.
  let known: ReturnType<typeof Compile<S>> | undefined;
  const compiled = () => {
    known ??= Compile(schema);
    return known;
  };
  const plain = schema as unknown as JsonSchema;
  return {
    schema: plain,
    check: (value, most = bounds.base.faultsReported) => (compiled().Check(value) ? [] : faultsOf(plain, value, most)),
    admits: (value): value is Static<S> => compiled().Check(value),
  };
}
