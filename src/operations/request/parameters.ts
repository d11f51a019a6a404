// A parameter of an operation, in its path, its query or its headers, and the parameters that several operations take.
import { type TSchema, Type } from 'typebox';
import { shorten } from '../../../client/import/described.ts';
import { limits } from '../../base/limits.ts';
import type { Fault } from '../../base/problem.ts';

export interface Parameter {
  readonly description: string;
  readonly schema: TSchema;
  readonly required?: true;
  /** Finds the fault of a text that was sent; absent if every text is valid. */
  check?(text: string): Fault | undefined;
}

export const objectTypeParameter: Parameter = {
  description: 'The name of an object type that the key can see, as listed by `GET /objects/`.',
  schema: Type.String({ minLength: 1, maxLength: 63 }),
};

export const idParameter: Parameter = {
  description: "The record's id.",
  schema: Type.String({ minLength: 1, maxLength: 64 }),
};

export const associationTypeParameter: Parameter = {
  description:
    'The name of an association type of the object type, as listed by `GET /objects/{object_type}/associations/`.',
  schema: Type.String({ minLength: 1, maxLength: 63 }),
};

export const propertiesParameter: Parameter = {
  description: 'The properties to return, separated by commas. Without it, all that the key can see are returned.',
  schema: Type.String({ minLength: 1 }),
};

export const limitParameter: Parameter = wholeNumber({
  parameter: 'limit',
  description: 'The number of records on a page',
  range: [1, limits.pageSize],
  fallback: limits.pageSizeDefault,
});

export const cursorParameter: Parameter = {
  description:
    '`pagination.next_cursor` of the previous page. It is opaque, and valid only for this operation and this key.',
  schema: Type.String({ minLength: 1 }),
};

/** A parameter that is true or false. */
export function yesOrNo(parameter: string, description: string): Parameter {
  const words = ['true', 'false'];
  return {
    description,
    schema: Type.Boolean({ default: false }),
    check: (text) =>
      words.includes(text)
        ? undefined
        : {
            parameter,
            reason: 'invalid_parameter',
            detail: `Expected true or false; got ${JSON.stringify(shorten(text))}.`,
            allowed: words,
          },
  };
}

/** A parameter that takes a whole number from a range. */
export function wholeNumber({ parameter, description, range: [least, most], fallback }: WholeNumber): Parameter {
  return {
    description: `${description}, from ${least} to ${most}.`,
    schema: Type.Integer({ minimum: least, maximum: most, default: fallback }),
    check: (text) =>
      /^(0|[1-9][0-9]{0,8})$/.test(text) && Number(text) >= least && Number(text) <= most
        ? undefined
        : {
            parameter,
            reason: parameter === 'limit' ? 'limit_out_of_range' : 'invalid_parameter',
            detail: `Expected a whole number from ${least} to ${most}; got ${JSON.stringify(shorten(text))}.`,
          },
  };
}

interface WholeNumber {
  readonly parameter: string;
  readonly description: string;
  readonly range: readonly [least: number, most: number];
  readonly fallback: number;
}
