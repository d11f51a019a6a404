// The ways in to an org, as far as anybody may know them.
import { findOnlyOrg } from '../../store/org/orgs.ts';
import { findProvider } from '../../store/sign-in/providers.ts';
import type { WorkingEngine } from '../process/call.ts';

interface Ways {
  /** Undefined if none was named, and the service has several. */
  readonly orgId: number | undefined;
  /** The name of the only org: those of several are nobody's business. */
  readonly orgName: string | undefined;
  readonly issuer: string | undefined;
}

/** An org that does not exist is answered like one without a provider. */
export async function findWays({ database }: WorkingEngine, wanted: number | undefined): Promise<Ways> {
  const only = await findOnlyOrg(database);
  const orgId = wanted ?? only?.orgId;
  const provider = orgId === undefined ? undefined : await findProvider(database, orgId);
  return { orgId, orgName: orgId === only?.orgId ? only?.name : undefined, issuer: provider?.issuer };
}
