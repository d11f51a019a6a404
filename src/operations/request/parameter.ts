// A parameter of an operation, in its path, its query or its headers: how it is described, and how it is checked.
import type { TSchema } from 'typebox';
import type { Fault } from '../../base/problem.ts';

export interface Parameter {
  readonly description: string;
  readonly schema: TSchema;
  readonly required?: true;
  /** What is wrong with a text that was sent, where the schema alone does not tell. */
  check?(text: string): Fault | undefined;
}
