// Which records are notes: what people have written about others. They are linked, and have a life of their own.
import type { ObjectType } from '../object-type.ts';

/** The id of the type svc_note. */
const noteType = 4;

export function isNote({ id }: ObjectType): boolean {
  return id === noteType;
}
