// An org as `org list` and `org update` print it, as JSON and as a row of a table.
import type { Org } from '../../store/org/orgs.ts';
import { sized } from '../terminal/text.ts';

export const orgHeadings = ['ORG', 'NAME', 'CURRENCY', 'RATE LIMIT', 'STORED', 'QUOTA', 'CREATED'];

/** `bytes` is what the org stores. */
export function orgValue(org: Org, bytes: number) {
  return {
    org_id: org.orgId,
    name: org.name,
    currency: org.currency,
    rate_limit: { quota: org.rateQuota, window_seconds: org.rateWindowSeconds },
    storage: { bytes, quota: org.storageQuota },
    created_at: org.createdAt.toISOString(),
  };
}

export function orgRow(org: ReturnType<typeof orgValue>): readonly string[] {
  return [
    String(org.org_id),
    org.name,
    org.currency,
    `${org.rate_limit.quota}/${org.rate_limit.window_seconds}`,
    sized(org.storage.bytes),
    org.storage.quota === null ? 'none' : sized(org.storage.quota),
    org.created_at,
  ];
}
