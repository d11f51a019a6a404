// A write to the feed that the test commits when it likes, and of which no process is notified.
import pg from 'pg';
import { newId } from '../../../src/base/id.ts';

export interface OpenWrite {
  readonly id: string;
  commit(): Promise<void>;
  /** Does nothing once it has ended. */
  rollback(): Promise<void>;
}

const typeIds = { svc_contact: 1, svc_company: 2 } as const;

/** A transaction that has written the entry of a new record, as the service writes it, and is not committed yet. */
export async function beginWrite(
  databaseUrl: string,
  orgId: number,
  type: keyof typeof typeIds = 'svc_contact',
): Promise<OpenWrite> {
  const connection = new pg.Client({ connectionString: databaseUrl });
  await connection.connect();
  const id = newId();
  await connection.query('begin');
  await connection.query(
    `insert into orrery.change (org_id, xid, kind, type_id, record_id, version, changed, at, principal_id, request_id)
     values ($1, pg_current_xact_id(), 1, $3, $2, 1, '{}', now(), 'test', $2)`,
    [orgId, id, typeIds[type]],
  );
  let hasEnded = false;
  const end = async (word: 'commit' | 'rollback') => {
    if (hasEnded) return;
    hasEnded = true;
    await connection.query(word);
    await connection.end();
  };
  return { id, commit: () => end('commit'), rollback: () => end('rollback') };
}
