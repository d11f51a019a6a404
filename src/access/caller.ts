// The caller: one credential of one org, found by its key. The org is never taken from the request.
import type { Grant } from './grant.ts';

export const reaches = ['user', 'org'] as const;
export type Reach = (typeof reaches)[number];

export interface Caller {
  readonly orgId: number;
  readonly credentialId: string;
  /** The record of the key; undefined for the service itself. */
  readonly recordId?: string;
  readonly credentialName: string;
  readonly expiresAt: Date | null;
  readonly userId: string | null;
  readonly reach: Reach;
  readonly grants: readonly Grant[];
}

/** The user's id, or the credential's for a key without a user. */
export function principalId(caller: Caller): string {
  return caller.userId ?? caller.credentialId;
}
