// The links from records to users, which decide what a credential of reach `user` sees.
import { sql } from '../base/sql.ts';
import type { Transaction } from './database.ts';
import type { RecordRef } from './records.ts';
import type { UserLink } from './write-records.ts';

/** The users that the record is linked to. */
export async function findUserLinks(
  transaction: Transaction,
  orgId: number,
  { typeId, id }: RecordRef,
): Promise<readonly UserLink[]> {
  return transaction.query<UserLink>(sql`
    select type_id as "typeId", record_id as id, user_id as "userId" from orrery.record_user
    where org_id = ${orgId} and type_id = ${typeId} and record_id = ${id}`);
}
