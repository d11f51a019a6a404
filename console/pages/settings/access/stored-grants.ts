// The grants of a key or a role as they are stored, and what a change of them writes.
import type { Row } from '../../../data/paged-rows.ts';
import { type Grants, readGrants, writeGrants } from '../grants/grants.ts';

export function textsOf(record: Row | undefined): readonly string[] {
  const value = record?.properties['svc_grants'];
  return Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : [];
}

/** Nothing if the same is given as before, however it was written. */
export function changedGrants(record: Row | undefined, grants: Grants): { readonly svc_grants?: readonly string[] } {
  const texts = writeGrants(grants);
  const isSame = record !== undefined && writeGrants(readGrants(textsOf(record))).join() === texts.join();
  return isSame ? {} : { svc_grants: texts };
}
