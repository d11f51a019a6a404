// The audit of an org for the command line.
import { bounds } from '../../base/limits.ts';
import type { Database } from '../../store/database.ts';
import { type AuditEntry, listEntries } from '../../store/org/audit.ts';
import { requireOrg } from './orgs.ts';

/** The last entries come first. */
export async function listAudit(database: Database, orgId: number, seconds: number): Promise<readonly AuditEntry[]> {
  await requireOrg(database, orgId);
  return listEntries(database, orgId, seconds, bounds.cli.auditEntries);
}
