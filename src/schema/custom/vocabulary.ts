// What is built in, in short: whether the definitions of an org have all of it.
import { hash } from 'node:crypto';
import { builtinAssociationTypes } from '../builtin/association-types.ts';
import { builtinObjectTypes } from '../builtin/object-types.ts';
import type { CustomSchema } from './custom-schema.ts';

let known: string | undefined;

/** A digest of the names of everything that is built in and has a definition. */
export function vocabulary(): string {
  known ??= digest();
  return known;
}

function digest(): string {
  const types = builtinObjectTypes.filter(({ category }) => category !== 'platform');
  const properties = types.flatMap(({ name, properties: all }) =>
    [...all.values()].map((each) => `${name}.${each.name}=${each.options.map(({ value }) => value).join()}`),
  );
  const text = [...properties, ...builtinAssociationTypes.map(({ name }) => name)].join('\n');
  return hash('sha256', text).slice(0, 16);
}

/** Whether every definition is a record: a later release may have added to what is built in. */
export function isRecorded({ recorded }: CustomSchema): boolean {
  return recorded === vocabulary();
}
