// The links from records to users, which decide what a credential of reach `user` sees.
import { sql } from '../../base/sql.ts';
import type { Transaction } from '../database.ts';
import { type RecordRef, refSource } from '../record-ref.ts';
import type { UserLink } from './write-records.ts';

/** The users that the records are linked to. */
export async function findUserLinks(
  transaction: Transaction,
  orgId: number,
  records: readonly RecordRef[],
): Promise<readonly UserLink[]> {
  return transaction.query<UserLink>(sql`
    select u.type_id as "typeId", u.record_id as id, u.user_id as "userId"
    from orrery.record_user as u join ${refSource(records)} on u.type_id = k.type_id and u.record_id = k.id
    where u.org_id = ${orgId}`);
}
