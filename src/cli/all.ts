// All commands, in the order in which help lists them.
import type { Command } from './command.ts';
import { config } from './config.ts';
import { dbBackup } from './db/backup.ts';
import { dbMigrate } from './db/migrate.ts';
import { dbRestore } from './db/restore.ts';
import { dbStatus } from './db/status.ts';
import { demo } from './demo/demo.ts';
import { doctor } from './doctor/doctor.ts';
import { exportCommand } from './export/export.ts';
import { importCommand } from './import/import.ts';
import { indexDrop } from './index/drop.ts';
import { indexList } from './index/list.ts';
import { ingest } from './ingest.ts';
import { keyCreate } from './key/create.ts';
import { keyList } from './key/list.ts';
import { keyRevoke } from './key/revoke.ts';
import { keyRotate } from './key/rotate.ts';
import { orgCreate } from './org/create.ts';
import { orgList } from './org/list.ts';
import { orgUpdate } from './org/update.ts';
import { schemaApply } from './schema/apply.ts';
import { schemaShow } from './schema/show.ts';
import { serve } from './serve/serve.ts';
import { trashList } from './trash/list.ts';
import { trashPurge } from './trash/purge.ts';
import { trashRestore } from './trash/restore.ts';
import { types } from './types.ts';
import { userCreate } from './user/create.ts';
import { userList } from './user/list.ts';
import { version } from './version.ts';

export const commands: readonly Command[] = [
  serve,
  demo,
  orgCreate,
  orgList,
  orgUpdate,
  userCreate,
  userList,
  keyCreate,
  keyList,
  keyRotate,
  keyRevoke,
  schemaShow,
  schemaApply,
  types,
  indexList,
  indexDrop,
  ingest,
  importCommand,
  exportCommand,
  trashList,
  trashRestore,
  trashPurge,
  dbMigrate,
  dbStatus,
  dbBackup,
  dbRestore,
  doctor,
  config,
  version,
];

/** The help of words that have commands below them, such as "orrery org --help". */
export const groups: Readonly<Record<string, string>> = {
  org: 'Create, list and change orgs',
  user: 'Create and list the users of an org',
  key: 'Create, list, rotate and revoke keys',
  schema: 'Show and extend the schema of an org',
  index: 'List and drop automatic indexes',
  trash: 'List, restore and purge deleted records',
  db: 'Migrate, check, back up and restore the database',
};
