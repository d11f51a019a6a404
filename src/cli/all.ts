// All commands, in the order in which help lists them.
import { auditList } from './audit/list.ts';
import type { Command } from './command.ts';
import { config } from './config.ts';
import { dbBackup } from './db/backup.ts';
import { dbDistribute } from './db/distribute.ts';
import { dbMigrate } from './db/migrate.ts';
import { dbRestore } from './db/restore.ts';
import { dbStatus } from './db/status.ts';
import { demo } from './demo/demo.ts';
import { doctor } from './doctor/doctor.ts';
import { erase } from './erase.ts';
import { exportCommand } from './export/export.ts';
import { importCommand } from './import/import.ts';
import { indexDrop } from './index/drop.ts';
import { indexList } from './index/list.ts';
import { ingest } from './ingest.ts';
import { jobsList } from './jobs/list.ts';
import { keyCreate } from './key/create.ts';
import { keyExplain } from './key/explain.ts';
import { keyList } from './key/list.ts';
import { keyRevoke } from './key/revoke.ts';
import { keyRotate } from './key/rotate.ts';
import { memberCreate } from './member/create.ts';
import { memberDeactivate } from './member/deactivate.ts';
import { memberInvite, memberLink } from './member/link.ts';
import { memberList } from './member/list.ts';
import { migrate } from './migrate/migrate.ts';
import { oidcRemove } from './oidc/remove.ts';
import { oidcSet } from './oidc/set.ts';
import { oidcShow } from './oidc/show.ts';
import { oidcUnbind } from './oidc/unbind.ts';
import { orgCreate } from './org/create.ts';
import { orgList } from './org/list.ts';
import { orgUpdate } from './org/update.ts';
import { revert } from './revert.ts';
import { roleList } from './role/list.ts';
import { schemaApply } from './schema/apply.ts';
import { schemaShow } from './schema/show.ts';
import { serve } from './serve/serve.ts';
import { trashList } from './trash/list.ts';
import { trashPurge } from './trash/purge.ts';
import { trashRestore } from './trash/restore.ts';
import { types } from './types.ts';
import { version } from './version.ts';

export const commands: readonly Command[] = [
  serve,
  demo,
  orgCreate,
  orgList,
  orgUpdate,
  memberCreate,
  memberList,
  memberLink,
  memberInvite,
  memberDeactivate,
  roleList,
  oidcSet,
  oidcShow,
  oidcRemove,
  oidcUnbind,
  keyCreate,
  keyExplain,
  keyList,
  keyRotate,
  keyRevoke,
  auditList,
  jobsList,
  schemaShow,
  schemaApply,
  types,
  indexList,
  indexDrop,
  ingest,
  importCommand,
  exportCommand,
  migrate,
  revert,
  trashList,
  trashRestore,
  trashPurge,
  erase,
  dbMigrate,
  dbStatus,
  dbBackup,
  dbRestore,
  dbDistribute,
  doctor,
  config,
  version,
];

/** The help of words that have commands below them, such as "orrery org --help". */
export const groups: Readonly<Record<string, string>> = {
  org: 'Create, list and change orgs',
  member: 'Create, list, invite and deactivate the members of an org',
  oidc: 'Let members sign in with an OpenID provider',
  role: 'List the roles of an org',
  jobs: 'List the jobs of an org',
  audit: 'List what was done in the administration of an org',
  key: 'Create, list, rotate and revoke keys',
  schema: 'Show and extend the schema of an org',
  index: 'List and drop automatic indexes',
  trash: 'List, restore and purge deleted records',
  db: 'Migrate, check, back up and restore the database',
};

/** Other names of such words. */
export const groupAliases: Readonly<Record<string, string>> = { member: 'user' };
