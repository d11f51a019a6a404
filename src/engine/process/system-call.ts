// A call of the service itself, without a key: for what an org gets when it is made, and for what comes from connected
// systems. It sees all of the org, belongs to no user, and signs as svc_system.
import type { Caller } from '../../access/caller.ts';
import { fullGrant } from '../../access/grant.ts';
import { newId } from '../../base/id.ts';
import type { Org } from '../../store/org/orgs.ts';
import type { UnitCall } from './call.ts';
import type { KnownOrg } from './directory.ts';

const name = 'svc_system';

export function systemCall(
  engine: UnitCall['engine'],
  { org, catalog, typesById }: Pick<KnownOrg, 'catalog' | 'typesById'> & { readonly org: SystemOrg },
): UnitCall {
  const caller: Caller = {
    orgId: org.orgId,
    credentialId: name,
    credentialName: name,
    expiresAt: null,
    userId: null,
    reach: 'org',
    grants: [fullGrant],
  };
  const policy = { name: 'org', quota: org.rateQuota, windowSeconds: org.rateWindowSeconds } as const;
  const session = { caller, catalog, orgCatalog: catalog, orgTypes: typesById, policy };
  return { engine, session, requestId: newId() };
}

type SystemOrg = Pick<Org, 'orgId' | 'rateQuota' | 'rateWindowSeconds'>;
