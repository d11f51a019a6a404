// The table of contents of the command line.
import type { Command } from './command.ts';
import { config } from './config.ts';
import { dbMigrate } from './db-migrate.ts';
import { dbStatus } from './db-status.ts';
import { demo } from './demo.ts';
import { doctor } from './doctor.ts';
import { ingest } from './ingest.ts';
import { keyCreate } from './key-create.ts';
import { keyList } from './key-list.ts';
import { keyRevoke } from './key-revoke.ts';
import { keyRotate } from './key-rotate.ts';
import { orgCreate } from './org-create.ts';
import { orgList } from './org-list.ts';
import { schemaApply } from './schema-apply.ts';
import { schemaShow } from './schema-show.ts';
import { serve } from './serve.ts';
import { userCreate } from './user-create.ts';
import { userList } from './user-list.ts';
import { version } from './version.ts';

export const commands: readonly Command[] = [
  serve,
  demo,
  orgCreate,
  orgList,
  userCreate,
  userList,
  keyCreate,
  keyList,
  keyRotate,
  keyRevoke,
  schemaShow,
  schemaApply,
  ingest,
  dbMigrate,
  dbStatus,
  doctor,
  config,
  version,
];

/** What "orrery org --help" says of a word that has commands below it. */
export const groups: Readonly<Record<string, string>> = {
  org: 'Create and list orgs',
  user: 'Create and list the users of an org',
  key: 'Create, list, rotate and revoke keys',
  schema: "Show and grow an org's schema",
  db: 'Look after the database',
};
